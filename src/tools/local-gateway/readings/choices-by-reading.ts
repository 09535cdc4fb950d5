import { isJsonObject } from "../../../library/is-object.ts";
import type { Choices, GatewayResponse, SentPayload } from "./choices.ts";
import type { ReadingName } from "./reading-name.ts";

/** What each reading chooses. Their descriptions are apart, so that a gateway is bundled without them. */
export const CHOICES: Readonly<Record<ReadingName, Choices>> = {
	"webhooks are not retried": { webhooks: { retryDelaysMs: [] } },
	"a 4xx ends the retries": { webhooks: { rejections: "final" } },
	"a retry waits for Retry-After": { webhooks: { retryAfter: "honoured" } },
	"retries have the first timestamp": { webhooks: { retryTimestamp: "first" } },
	"each retry has a new event id": { webhooks: { retryEventId: "new" } },
	"events of a message share an id": { webhooks: { eventId: "of_message" } },
	"webhooks arrive out of order": { webhooks: { order: "none" } },
	"webhooks arrive twice at once": { webhooks: { copies: 2 } },
	"a status goes to both URLs": { webhooks: { statusCallback: "additional" } },

	"attachments in events are URLs": {
		eventFields: { attachments: (items) => mapList(items, (at) => `https://files.example/${at}`) },
	},
	"attachments in events are base64": {
		eventFields: { attachments: (items) => mapList(items, () => "aGVsbG8=") },
	},
	"attachments in events are nested objects": {
		eventFields: {
			attachments: (items) =>
				mapList(items, (at) => ({ guid: `${at}`, file: { href: `https://files.example/${at}` } })),
		},
	},
	"attachments without a text have a null": {
		eventFields: {
			text: (text, { attachments }) =>
				text === "" && Array.isArray(attachments) && attachments.length > 0 ? null : text,
		},
	},
	"accountId is a number": { eventFields: { accountId: () => 4711 } },
	"nulls in events are left out": {
		webhooks: { encode: (payload) => [keepFields(payload, (value) => value !== null)] },
	},
	"empty lists in events are null": {
		webhooks: {
			encode: (payload) => [
				Object.fromEntries(
					Object.entries(payload).map(([name, value]) => [name, isEmptyList(value) ? null : value]),
				),
			],
		},
	},
	"empty values in events are left out": {
		webhooks: { encode: (payload) => [keepFields(payload, (value) => !isEmpty(value))] },
	},
	"a status has a type": {
		webhooks: { encode: (payload, kind) => [kind === "status" ? { type: "status", ...payload } : payload] },
	},
	"times in events have a fraction": { eventFields: { timestamp_ms: (time) => Number(time) + 0.25 } },
	"contacts have e-mail addresses": {
		webhooks: { encode: (payload) => [renameContact(payload, (digits) => `c${digits}@mail.example`)] },
	},
	"contacts have short codes": {
		webhooks: { encode: (payload) => [renameContact(payload, (digits) => digits.slice(-5))] },
	},
	"there are additional types of events": {
		webhooks: { encode: (payload) => [payload, { type: "message_changed", message: payload }] },
	},
	"events and responses have additional fields": {
		webhooks: { encode: (payload) => [{ ...payload, region: "eu", tags: [] }] },
		encodeResponse: ({ status, body }) => ({ status, body: addField(body) }),
	},
	"there are additional statuses": {
		webhooks: {
			encode: (payload, kind) =>
				kind === "status" ? [{ ...payload, status: "processing" }, payload] : [payload],
		},
	},
	"statuses are in upper case": {
		eventFields: { status: (status) => (typeof status === "string" ? status.toUpperCase() : status) },
	},
	"statuses are skipped": {
		webhooks: { encode: (payload) => (payload["status"] === "sent" ? [] : [payload]) },
	},
	"a failure is an object": {
		eventFields: { error: (error) => (typeof error === "string" ? { reason: error } : error) },
	},
	"own tapbacks are delivered": { webhooks: { ownTapbacks: "delivered" } },
	"reactions have other values": { eventFields: { reaction: () => "\u{1F44D}" } },
	"webhooks have the vendor's names": {
		profile: { vendor: { headerPrefix: "Acme", messageNumberField: "acmeMessageNumber" } },
	},

	"only the last message makes a duplicate": { rules: { duplicateOf: "last" } },
	"the account's window is for other contacts": { rules: { accountWindow: "other_contacts" } },
	"a reply clears every window": { rules: { replyClears: "all" } },
	"blocked attempts extend a window": { rules: { blockedAttempts: "extend" } },
	"whitespace makes another message": { rules: { compareText: "exact" } },
	"a duplicate gets 429": { profile: { duplicates: { status: 429 } } },
	"a duplicate has its info elsewhere": {
		profile: { duplicates: { infoPath: "error.details.duplicate" } },
	},
	"a duplicate has only a code": { profile: { duplicates: { code: "DUPLICATE", infoPath: null } } },
	"the consecutive limit only warns": { rules: { consecutive: "warn" } },
	"a 503 comes after a message was queued": { rules: { withoutAgent: "queue" } },
	"mapping timestamps are in seconds": { mappingTimestamps: "seconds" },
	"a mapping without a window has a null": {
		encodeResponse: (response) =>
			changeMember(response, "data", (data) =>
				isJsonObject(data["mapping"]) ? { mapping: { duplicate: null, ...data["mapping"] } } : {},
			),
	},
	"unknown request fields are ignored": { unknownFields: "ignored" },
	"every success is a 200": {
		encodeResponse: ({ status, body }) => ({ status: status < 300 ? 200 : status, body }),
	},
	"assumed changes have empty responses": { profile: { emptyResponses: true } },
	"setWebhooks has an empty response": {
		encodeResponse: ({ operationId, status, body }) =>
			operationId === "settings.setWebhooks" && status === 200
				? { status: 204, body: undefined }
				: { status, body },
	},
	"health is plain text": {
		encodeResponse: ({ operationId, status, body }) => ({
			status,
			body: operationId === "health.check" ? "OK" : body,
		}),
	},
	"error codes have other names": {
		encodeResponse: (response) => changeMember(response, "error", () => ({ code: "ACME-1" })),
	},
	"errors have no requestId": {
		encodeResponse: (response) => changeMember(response, "error", () => ({ requestId: undefined })),
	},
	"kept connections are cut": { keptConnections: "cut" },

	"the decoded path is signed": { profile: { signing: { path: "decoded" } } },
	"the base path is not signed": {
		baseUrl: "https://gateway.localhost/messaging",
		profile: { signing: { path: "without_base_path" } },
	},
	"the query is signed": { profile: { signing: { query: "included" } } },
	"bodies are signed in their own order": { profile: { signing: { canonicalBody: "json" } } },
	"bodies are signed as Python writes them": { profile: { signing: { canonicalBody: "ascii_spaced" } } },
	"bodies are signed as Go writes them": { profile: { signing: { canonicalBody: "html_escaped" } } },
	"bodies are signed as PHP writes them": { profile: { signing: { canonicalBody: "ascii_slashes" } } },
	"bodies are signed in ASCII": { profile: { signing: { canonicalBody: "ascii" } } },
	"slashes in signed bodies are escaped": { profile: { signing: { canonicalBody: "slashes" } } },
	"nulls in signed bodies are left out": { profile: { signing: { canonicalBody: "no_nulls" } } },
	"the App Secret is hex": { profile: { signing: { secret: "hex" } } },
	"the App Secret is base64": { profile: { signing: { secret: "base64" } } },
	"the webhook secret is hex": { profile: { events: { secret: "hex" } } },
	"the webhook secret is base64 after a prefix": { profile: { events: { secret: "prefixed_base64" } } },
	"X-Timestamp is in seconds": { profile: { signing: { timestamp: "seconds" } } },
};

/** Whether there is a reading with a name. */
export function isReadingName(name: string): name is ReadingName {
	return Object.hasOwn(CHOICES, name);
}

/** Gives the contact of an individual chat another handle, wherever an event names it. */
function renameContact(payload: SentPayload, toHandle: (digits: string) => string): SentPayload {
	const contact = payload["outbound"] === true ? payload["to"] : payload["from"];
	if (typeof contact !== "string" || payload["groupId"] !== null) return payload;
	const handle = toHandle(contact.replace(/\D/g, ""));
	const rename = (value: unknown): unknown =>
		typeof value === "string" ? value.replaceAll(contact, handle) : value;
	const { from, to, participants, chatGuid } = payload;
	return {
		...payload,
		from: rename(from),
		to: rename(to),
		participants: Array.isArray(participants) ? participants.map(rename) : participants,
		chatGuid: rename(chatGuid),
	};
}

function keepFields(payload: SentPayload, isKept: (value: unknown) => boolean): SentPayload {
	return Object.fromEntries(Object.entries(payload).filter(([, value]) => isKept(value)));
}

/** Whether Go's `omitempty` leaves a value out. */
function isEmpty(value: unknown): boolean {
	return value === null || value === false || value === "" || value === 0 || isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

function mapList(list: unknown, toItem: (at: number) => unknown): unknown {
	return Array.isArray(list) ? list.map((_, at) => toItem(at)) : list;
}

function addField(body: unknown): unknown {
	return typeof body === "object" && body !== null ? { ...body, region: "eu" } : body;
}

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
