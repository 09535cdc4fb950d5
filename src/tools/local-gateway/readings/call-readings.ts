import { isJsonObject } from "../../../library/is-object.ts";
import type { GatewayResponse } from "../options.ts";
import type { Reading } from "./reading.ts";

const COUNTERS = "Units of the timestamp fields and the exact rules behind the counters: not shown.";
const DETAILS = "array = field validation errors; object = domain-specific context";
const STATUSES = "Documented HTTP statuses on the mapping endpoint: 400, 401, 404 (mapping not found), 500.";
const PAYLOADS = "Their methods, paths and payloads: not shown.";

/** How calls are carried out and what responses contain. */
export const callReadings = (): readonly Reading[] => [
	{
		name: "only the last message makes a duplicate",
		section: "2.4",
		quotation: "| lastMessageSignature | string | |",
		isOpen: true,
		summary: "A message is compared with the last one only, not with all of the window.",
		advice: "Do not rely on the gateway to stop a second send: keep a record of your own.",
		options: { rules: { duplicateOf: "last" } },
	},
	{
		name: "the account's window is for other contacts",
		section: "2.4",
		quotation: "| account / global | 1 minute |",
		isOpen: true,
		summary: "The account's window does not block the same message to the same contact.",
		advice: "Do not rely on the gateway to stop a second send: keep a record of your own.",
		options: { rules: { accountWindow: "other_contacts" } },
	},
	{
		name: "a reply clears every window",
		section: "2.4",
		quotation: "5 minutes; clears when the contact replies",
		isOpen: true,
		summary: "A contact's reply also clears what its messages block for the agent and the account.",
		advice: "Do not rely on the gateway to stop a second send: keep a record of your own.",
		options: { rules: { replyClears: "all" } },
	},
	{
		name: "blocked attempts extend a window",
		section: "2.4",
		quotation: "seconds left in the duplicate window",
		isOpen: true,
		summary: "Each attempt that is blocked as a duplicate starts the window again.",
		advice: "Wait until `duplicate.timeRemaining` is over before you send the same message again.",
		options: { rules: { blockedAttempts: "extend" } },
	},
	{
		name: "whitespace makes another message",
		section: "2.4",
		quotation: "| currentMessageSignature | string | |",
		isOpen: true,
		summary: "Texts that differ in the whitespace around them are no duplicates.",
		advice: "Do not rely on the gateway to stop a second send: keep a record of your own.",
		options: { rules: { compareText: "exact" } },
	},
	{
		name: "a duplicate gets 429",
		section: "7",
		quotation: STATUSES,
		isOpen: true,
		summary: "A duplicate is reported with the status of a rate limit.",
		advice: "Recognise a duplicate by `DuplicateMessageError`, not by its status.",
		options: { profile: { duplicates: { status: 429 } } },
	},
	{
		name: "a duplicate has its info elsewhere",
		section: "2.2",
		quotation: DETAILS,
		isOpen: true,
		summary: "The DuplicateInfo is in a member of the error's `details`.",
		advice: "Set the profile.",
		options: { profile: { duplicates: { infoPath: "error.details.duplicate" } } },
	},
	{
		name: "a duplicate has only a code",
		section: "2.2",
		quotation: DETAILS,
		isOpen: true,
		summary: "An error has no DuplicateInfo, only a code.",
		advice: "Set the profile, and expect `duplicate` to be undefined.",
		options: { profile: { duplicates: { code: "DUPLICATE", infoPath: null } } },
	},
	{
		name: "the consecutive limit only warns",
		section: "2.3",
		quotation: COUNTERS,
		isOpen: true,
		summary: "A message after `maxConsecutiveMessages` without a reply is sent.",
		advice: "Read the mapping and stop by yourself.",
		options: { rules: { consecutive: "warn" } },
	},
	{
		name: "a 503 comes after a message was queued",
		section: "1",
		quotation: "The service accepts send jobs and routes them to registered desktop agents",
		isOpen: true,
		summary:
			"While no agent is online, a message to a new contact gets 503, and is sent once an agent is back.",
		advice: "Treat a 5xx as perhaps sent: decide by `outcome`, or use a sender.",
		options: { rules: { withoutAgent: "queue" } },
	},
	{
		name: "mapping timestamps are in seconds",
		section: "2.3",
		quotation: COUNTERS,
		isOpen: true,
		summary: "The timestamps of a mapping are Unix seconds.",
		advice: "Compare one with the time of an event that you know before you use them.",
		options: { mappingTimestamps: "seconds" },
	},
	{
		name: "a mapping without a window has a null",
		section: "2.3",
		quotation: "null or absent when no per-contact duplicate window is active",
		isOpen: true,
		summary: "`duplicate` is `null`, not absent.",
		advice: "Treat both the same: `mapping.duplicate?.timeRemaining`.",
		options: {
			encodeResponse: (response) =>
				changeMember(response, "data", (data) =>
					isJsonObject(data["mapping"]) ? { mapping: { duplicate: null, ...data["mapping"] } } : {},
				),
		},
	},
	{
		name: "unknown request fields are ignored",
		section: "4.4",
		quotation: PAYLOADS,
		isOpen: true,
		summary: "A misspelt field is not reported.",
		advice: "Send through the client, which checks the names of fields.",
		options: { unknownFields: "ignored" },
	},
	{
		name: "every success is a 200",
		section: "4.4",
		quotation: PAYLOADS,
		isOpen: true,
		summary: "An accepted send or a created agent gets 200, not 202 or 201.",
		advice: "Do not compare the status of a success.",
		options: {
			encodeResponse: ({ status, body }) => ({ status: status < 300 ? 200 : status, body }),
		},
	},
	{
		name: "assumed changes have empty responses",
		section: "4.4",
		quotation: PAYLOADS,
		isOpen: true,
		summary: "An assumed operation that changes something gets 204 and no body.",
		advice: "Set the profile, and expect `data` to be empty: ids come with the status events.",
		options: { profile: { emptyResponses: true } },
	},
	{
		name: "setWebhooks has an empty response",
		section: "4.2",
		quotation: "Response shape of this call: not shown.",
		isOpen: true,
		summary: "`settings.setWebhooks` gets 204 and no body.",
		advice: "Do not use its result.",
		options: {
			encodeResponse: ({ operationId, status, body }) =>
				operationId === "settings.setWebhooks" && status === 200
					? { status: 204, body: undefined }
					: { status, body },
		},
	},
	{
		name: "health is plain text",
		section: "4.3",
		quotation: "No signature and no headers needed. Response shape: not shown.",
		isOpen: true,
		summary: "`health.check` gets `OK`.",
		advice: "Do not use its result.",
		options: {
			encodeResponse: ({ operationId, status, body }) => ({
				status,
				body: operationId === "health.check" ? "OK" : body,
			}),
		},
	},
	{
		name: "error codes have other names",
		section: "7",
		quotation: "The set of `error.code` values: not shown.",
		isOpen: true,
		summary: "No `error.code` is one of ours.",
		advice: "Decide by the class of an error and its `outcome`, not by `gatewayCode`.",
		options: {
			encodeResponse: (response) => changeMember(response, "error", () => ({ code: "ACME-1" })),
		},
	},
	{
		name: "errors have no requestId",
		section: "2.2",
		quotation: "| error.requestId | string, uuid | yes | |",
		isOpen: false,
		summary: "The error envelope lacks `requestId`.",
		advice: "Expect `requestId` to be undefined.",
		options: {
			encodeResponse: (response) => changeMember(response, "error", () => ({ requestId: undefined })),
		},
	},
	{
		name: "kept connections are cut",
		section: "8",
		quotation: "Rate limits, payload size limits and other quotas: not shown.",
		isOpen: true,
		summary: "A connection that was kept alive is cut when its next request arrives. Behind a port only.",
		advice: "Treat a send whose `outcome` is `unknown` as perhaps sent. The client retries reads.",
		options: { keptConnections: "cut" },
	},
];

/** Replaces fields of a member of the envelope, if it has the member. */
function changeMember(
	{ status, body }: GatewayResponse,
	name: "data" | "error",
	change: (member: Record<string, unknown>) => object,
): Omit<GatewayResponse, "operationId"> {
	const member = isJsonObject(body) ? body[name] : undefined;
	if (!isJsonObject(body) || !isJsonObject(member)) return { status, body };
	return { status, body: { ...body, [name]: { ...member, ...change(member) } } };
}
