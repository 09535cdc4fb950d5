import * as z from "zod/mini";
import { openEnum, receivedUuid, schemaNotes, schemaOf } from "./schema.ts";
import { MESSAGE_STATUSES, type MessageStatus, REACTIONS, type Reaction } from "./shared.ts";

/**
 * The fields that all three payloads share.
 * @see Specification, sections 6.2 to 6.4
 */
export interface EventPayload {
	/** The message's UUID. */
	messageId: string;
	/** The sender: a number, or a contact's e-mail address or short code. */
	from: string;
	/** The receiver: a number, or a contact's e-mail address or short code. */
	to: string;
	/**
	 * Whether you sent it: `false` for an inbound message, `true` for a status. For a reaction it is assumed: by its
	 * name, `true` for your own.
	 */
	outbound: boolean;
	/** By its name, a number on the native network. The vendor may name the field differently. */
	nativeMessageNumber: string;
	/** By its name, the members of the chat. */
	participants: string[];
	/** By its name, the chat's id. */
	chatGuid: string;
	/** The group's id, or `null` for an individual chat. */
	groupId: string | null;
	/** By its name, another id of the message. */
	messageGuid: string;
	/** The time of the event, in Unix milliseconds. */
	timestamp_ms: number;
}

/**
 * A message that a contact wrote.
 * @see Specification, section 6.2
 */
export interface InboundMessage extends EventPayload {
	type: "inbound_message";
	/** The text. */
	text: string;
	/** The attachments. An item may have any shape, since the specification shows none. */
	attachments: unknown[];
	/** By its name, the id of the account. */
	accountId: string;
}

/**
 * A reaction to a message. Your own may be delivered too: see `outbound`.
 * @see Specification, section 6.3
 */
export interface InboundReaction extends EventPayload {
	type: "inbound_reaction";
	/** The message reacted to: by its name, the `messageGuid` of that message. */
	originalMessageGuid: string;
	/** The text of the message reacted to. */
	originalText: string;
	/** The reaction. Unknown values pass through. */
	reaction: Reaction;
	/** By its name, the id of the account. */
	accountId: string;
}

/**
 * The delivery status of a message that you sent.
 * @see Specification, section 6.4
 */
export interface StatusUpdate extends EventPayload {
	/** The status. Unknown values pass through. */
	status: MessageStatus;
	/** The message's text. */
	text: string;
	/** The attachments. An item may have any shape, since the specification shows none. */
	attachments: unknown[];
	/** The URL that you gave with the send, or `null`. */
	status_callback: string | null;
	/** Why the message failed, or `null`. It may have any type: `failureReason` reads them all. */
	error: unknown;
}

/*
 * Only what the specification states is checked: anything it leaves open must not withhold an event. See the decision
 * record `0030-what-may-withhold-an-event.md`.
 */
const payload = {
	messageId: receivedUuid,
	from: z.string(),
	to: z.string(),
	outbound: z.boolean(),
	nativeMessageNumber: z.string(),
	participants: z.array(z.string()),
	chatGuid: z.string(),
	groupId: z.nullable(z.string()),
	messageGuid: z.string(),
	timestamp_ms: z.int().register(schemaNotes, { format: "int64" }),
};

export const inboundMessage = schemaOf<InboundMessage>("InboundMessage")(
	z.looseObject({
		...payload,
		type: z.literal("inbound_message"),
		text: z.string(),
		attachments: z.array(z.unknown()),
		accountId: z.string(),
	}),
);

export const inboundReaction = schemaOf<InboundReaction>("InboundReaction")(
	z.looseObject({
		...payload,
		type: z.literal("inbound_reaction"),
		originalMessageGuid: z.string(),
		originalText: z.string(),
		reaction: openEnum(REACTIONS),
		accountId: z.string(),
	}),
);

export const statusUpdate = schemaOf<StatusUpdate>("StatusUpdate")(
	z.looseObject({
		...payload,
		status: openEnum(MESSAGE_STATUSES),
		text: z.string(),
		attachments: z.array(z.unknown()),
		status_callback: z.nullable(z.string()),
		error: z.unknown(),
	}),
);

/** The events that webhooks deliver: one entry for each payload. */
export const EVENTS = [
	{
		name: "inbound_message",
		summary: "A contact wrote a message.",
		section: "6.2",
		destination: "`inboundWebhookUrl`",
		payload: inboundMessage,
	},
	{
		name: "inbound_reaction",
		summary: "A message got a reaction.",
		section: "6.3",
		destination: "`inboundWebhookUrl`",
		payload: inboundReaction,
	},
	{
		name: "status",
		summary: "The delivery status of a sent message changed.",
		section: "6.4",
		destination: "the message's own `status_callback`, otherwise to `statusWebhookUrl`",
		payload: statusUpdate,
	},
] as const;
