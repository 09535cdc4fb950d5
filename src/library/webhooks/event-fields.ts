import type { InboundMessage, InboundReaction, StatusUpdate } from "../catalogue/events.ts";

/** The payload of each kind of event. */
export interface EventPayloads {
	inbound_message: InboundMessage;
	inbound_reaction: InboundReaction;
	status: StatusUpdate;
}

/** A payload that was parsed from JSON. */
export type Payload = Record<string, unknown>;

/** What a field holds: its type in the specification's tables, or anything that is there. */
export type FieldType =
	| "string"
	| "string or null"
	| "boolean"
	| "integer"
	| "array"
	| "array of string"
	| "anything";

/** A field that the specification's tables list. */
export type Field = readonly [name: string, type: FieldType];

const shared = {
	messageId: "string",
	from: "string",
	to: "string",
	outbound: "boolean",
	nativeMessageNumber: "string",
	participants: "array of string",
	chatGuid: "string",
	groupId: "string or null",
	messageGuid: "string",
	timestamp_ms: "integer",
} as const;

/** The fields that only one kind has. The one by which a kind is recognized has been checked by then. */
type OwnFields<Kind extends keyof EventPayloads> = Readonly<
	Record<Exclude<keyof EventPayloads[Kind], "type" | keyof typeof shared>, FieldType>
>;

/** As pairs, since every event goes through them. */
function fieldsOf<Kind extends keyof EventPayloads>(own: OwnFields<Kind>): readonly Field[] {
	return Object.entries<FieldType>({ ...shared, ...own });
}

/**
 * What each payload must hold: the schemas of `catalogue/events.ts` as a table, which spares every receiver the code of a
 * schema library. A test holds the two together.
 */
export const PAYLOAD_FIELDS: { readonly [Kind in keyof EventPayloads]: readonly Field[] } = {
	inbound_message: /* @__PURE__ */ fieldsOf<"inbound_message">({
		text: "string",
		attachments: "array",
		accountId: "string",
	}),
	inbound_reaction: /* @__PURE__ */ fieldsOf<"inbound_reaction">({
		originalMessageGuid: "string",
		originalText: "string",
		reaction: "string",
		accountId: "string",
	}),
	status: /* @__PURE__ */ fieldsOf<"status">({
		status: "string",
		text: "string",
		attachments: "array",
		status_callback: "string or null",
		error: "anything",
	}),
};

/** Whether a field's value is of its type. */
export function fits(type: FieldType, value: unknown): boolean {
	switch (type) {
		case "string or null":
			return value === null || typeof value === "string";
		case "integer":
			return Number.isSafeInteger(value);
		case "array":
			return Array.isArray(value);
		case "array of string":
			return Array.isArray(value) && value.every((item) => typeof item === "string");
		case "anything":
			return value !== undefined;
		default:
			return typeof value === type;
	}
}
