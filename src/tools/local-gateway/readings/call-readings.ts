import { describeReadings } from "./reading-description.ts";

const COUNTERS = "Units of the timestamp fields and the exact rules behind the counters: not shown.";
const DETAILS = "array = field validation errors; object = domain-specific context";
const STATUSES = "Documented HTTP statuses on the mapping endpoint: 400, 401, 404 (mapping not found), 500.";
const PAYLOADS = "Their methods, paths and payloads: not shown.";

/** Readings of calls and their responses. */
export const CALL_READINGS = /* @__PURE__ */ describeReadings({
	"only the last message makes a duplicate": {
		section: "2.4",
		quotation: "| lastMessageSignature | string | |",
		isOpen: true,
		summary: "A message is compared with the last one only, not with all of the window.",
		advice: "Do not rely on the gateway to stop a second send: keep a record of your own.",
	},
	"the account's window is for other contacts": {
		section: "2.4",
		quotation: "| account / global | 1 minute |",
		isOpen: true,
		summary: "The account's window does not block the same message to the same contact.",
		advice: "Do not rely on the gateway to stop a second send: keep a record of your own.",
	},
	"a reply clears every window": {
		section: "2.4",
		quotation: "5 minutes; clears when the contact replies",
		isOpen: true,
		summary: "A contact's reply also clears what its messages block for the agent and the account.",
		advice: "Do not rely on the gateway to stop a second send: keep a record of your own.",
	},
	"blocked attempts extend a window": {
		section: "2.4",
		quotation: "seconds left in the duplicate window",
		isOpen: true,
		summary: "Each attempt that is blocked as a duplicate starts the window again.",
		advice: "Wait until `duplicate.timeRemaining` is over before you send the same message again.",
	},
	"whitespace makes another message": {
		section: "2.4",
		quotation: "| currentMessageSignature | string | |",
		isOpen: true,
		summary: "Texts that differ in the whitespace around them are no duplicates.",
		advice: "Do not rely on the gateway to stop a second send: keep a record of your own.",
	},
	"a duplicate gets 429": {
		section: "7",
		quotation: STATUSES,
		isOpen: true,
		summary: "A duplicate is reported with the status of a rate limit.",
		advice: "Recognize a duplicate by `DuplicateMessageError`, not by its status.",
	},
	"a duplicate has its info elsewhere": {
		section: "2.2",
		quotation: DETAILS,
		isOpen: true,
		summary: "The DuplicateInfo is in a member of the error's `details`.",
		advice: "Set the profile.",
	},
	"a duplicate has only a code": {
		section: "2.2",
		quotation: DETAILS,
		isOpen: true,
		summary: "An error has no DuplicateInfo, only a code.",
		advice: "Set the profile, and expect `duplicate` to be undefined.",
	},
	"the consecutive limit only warns": {
		section: "2.3",
		quotation: COUNTERS,
		isOpen: true,
		summary: "A message after `maxConsecutiveMessages` without a reply is sent.",
		advice: "Read the mapping and stop by yourself.",
	},
	"a 503 comes after a message was queued": {
		section: "1",
		quotation: "The service accepts send jobs and routes them to registered desktop agents",
		isOpen: true,
		summary:
			"While no agent is online, a message to a new contact gets 503, and is sent once an agent is back.",
		advice: "Treat a 5xx as perhaps sent: decide by `outcome`, or use a sender.",
	},
	"mapping timestamps are in seconds": {
		section: "2.3",
		quotation: COUNTERS,
		isOpen: true,
		summary: "The timestamps of a mapping are Unix seconds.",
		advice: "Compare one with the time of an event that you know before you use them.",
	},
	"a mapping without a window has a null": {
		section: "2.3",
		quotation: "null or absent when no per-contact duplicate window is active",
		isOpen: true,
		summary: "`duplicate` is `null`, not absent.",
		advice: "Treat both the same: `mapping.duplicate?.timeRemaining`.",
	},
	"unknown request fields are ignored": {
		section: "4.4",
		quotation: PAYLOADS,
		isOpen: true,
		summary: "A misspelt field is not reported.",
		advice: "Send through the client, which checks the names of fields.",
	},
	"every success is a 200": {
		section: "4.4",
		quotation: PAYLOADS,
		isOpen: true,
		summary: "An accepted send or a created agent gets 200, not 202 or 201.",
		advice: "Do not compare the status of a success.",
	},
	"assumed changes have empty responses": {
		section: "4.4",
		quotation: PAYLOADS,
		isOpen: true,
		summary: "An assumed operation that changes something gets 204 and no body.",
		advice: "Set the profile, and expect `data` to be empty: ids come with the status events.",
	},
	"setWebhooks has an empty response": {
		section: "4.2",
		quotation: "Response shape of this call: not shown.",
		isOpen: true,
		summary: "`settings.setWebhooks` gets 204 and no body.",
		advice: "Do not use its result.",
	},
	"health is plain text": {
		section: "4.3",
		quotation: "No signature and no headers needed. Response shape: not shown.",
		isOpen: true,
		summary: "`health.check` gets `OK`.",
		advice: "Do not use its result.",
	},
	"error codes have other names": {
		section: "7",
		quotation: "The set of `error.code` values: not shown.",
		isOpen: true,
		summary: "No `error.code` is one of ours.",
		advice: "Decide by the class of an error and its `outcome`, not by `gatewayCode`.",
	},
	"errors have no requestId": {
		section: "2.2",
		quotation: "| error.requestId | string, uuid | yes | |",
		isOpen: false,
		summary: "The error envelope lacks `requestId`.",
		advice: "Expect `requestId` to be undefined.",
	},
	"kept connections are cut": {
		section: "8",
		quotation: "Rate limits, payload size limits and other quotas: not shown.",
		isOpen: true,
		summary: "A connection that was kept alive is cut when its next request arrives. Only over HTTP.",
		advice: "Treat a send whose `outcome` is `unknown` as perhaps sent. The client retries reads.",
	},
});
