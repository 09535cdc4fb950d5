import * as z from "zod/mini";
import { openEnum, receivedUuid, schemaNotes, schemaOf } from "./schema.ts";
import { MESSAGE_STATUSES, type MessageStatus, REACTIONS, type Reaction } from "./shared.ts";

/** What the three payloads share (specification, sections 6.2 to 6.4). */
export interface EventPayload {
	/** The message's UUID. */
	messageId: string;
	/** The sender: a number, or a contact's e-mail address or short code. */
	from: string;
	/** The receiver: a number, or a contact's e-mail address or short code. */
	to: string;
	/**
	 * `false` for an inbound message, `true` for a sent one (sections 6.2 and 6.4). For a reaction no value is shown; by
	 * its name, `true` for one of your own.
	 */
	outbound: boolean;
	/** By its name, a number on the native network; whose is not shown. The vendor may name the field differently. */
	nativeMessageNumber: string;
	/** By its name, who is in the chat. */
	participants: string[];
	/** By its name, the chat's id. */
	chatGuid: string;
	/** The group's id, or `null` for an individual chat. */
	groupId: string | null;
	/** By its name, another id of the message. */
	messageGuid: string;
	/** Unix milliseconds. */
	timestamp_ms: number;
}

/** A message that a contact wrote (specification, section 6.2). */
export interface InboundMessage extends EventPayload {
	type: "inbound_message";
	/** The text. */
	text: string;
	/** The attachments. The specification does not show the shape of an item: it may be anything. */
	attachments: unknown[];
	/** By its name, the id of the account. */
	accountId: string;
}

/** A reaction to a message (specification, section 6.3). Whether your own are delivered too is not shown: see `outbound`. */
export interface InboundReaction extends EventPayload {
	type: "inbound_reaction";
	/** The message reacted to; by its name, that message's `messageGuid`. */
	originalMessageGuid: string;
	/** Text of the message reacted to. */
	originalText: string;
	/** The reaction; the full list of values is not shown, so unknown ones pass through. */
	reaction: Reaction;
	/** By its name, the id of the account. */
	accountId: string;
}

/** The delivery status of a sent message (specification, section 6.4). */
export interface StatusUpdate extends EventPayload {
	/** The status; unknown values pass through. */
	status: MessageStatus;
	/** The message's text. */
	text: string;
	/** The attachments. The specification does not show the shape of an item: it may be anything. */
	attachments: unknown[];
	/** The URL that was given at send time, or `null`. */
	status_callback: string | null;
	/** Why it failed, or `null`. The specification does not show the type of a value: `failureReason` reads any. */
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
