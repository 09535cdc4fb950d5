import * as z from "zod/mini";
import { type OpenEnum, openEnum, phoneNumber, receivedUuid, schemaOf, wholeNumber } from "./schema.ts";

/** Why the shapes of an area that the specification only names are ours. */
export const AREA_NOT_SHOWN =
	"Specification, section 4.4: methods, paths and payloads of this area are not shown.";

/** Delivery statuses that the specification names (section 3), and `queued`, which is ours. */
export const MESSAGE_STATUSES = ["queued", "sent", "delivered", "read", "failed", "SMS_FALLBACK"] as const;

/**
 * Which status may follow which. The specification says that a status progresses (section 3); the order is
 * ours.
 */
export const NEXT_STATUSES: Readonly<Record<string, readonly string[]>> = {
	queued: ["sent", "failed", "SMS_FALLBACK"],
	sent: ["delivered", "failed", "SMS_FALLBACK"],
	SMS_FALLBACK: ["delivered", "failed"],
	delivered: ["read"],
};

/** A delivery status. The complete set is not shown, so unknown values pass through. */
export type MessageStatus = OpenEnum<(typeof MESSAGE_STATUSES)[number]>;

/** Tapbacks. The specification names `love` alone (section 6.3); the others are ours. */
export const REACTIONS = ["love", "like", "dislike", "laugh", "emphasize", "question"] as const;

/** A tapback: one of the known ones, or an emoji; unknown values pass through. */
export type Reaction = OpenEnum<(typeof REACTIONS)[number]>;

/** An attachment of a message or event. The shape of an item is not shown in the specification. */
export type ReceivedAttachment = Record<string, unknown>;

export const receivedAttachment = z.record(z.string(), z.unknown());

/** A message and where it stands, with the fields of the status payload (specification, section 6.4). */
export interface Message {
	/** The message's UUID. */
	messageId: string;
	/** Where the delivery stands. */
	status: MessageStatus;
	/** The text; empty for a voice note or an attachment without text. */
	text: string;
	/** The sending number. */
	from: string;
	/** The receiving number; for a group, that of one participant. */
	to: string;
	/** The group's id, or `null` for an individual chat. */
	groupId: string | null;
	/** What is attached. */
	attachments: ReceivedAttachment[];
	/** The URL that receives this message's status updates, or `null` for the registered one. */
	status_callback: string | null;
	/** `true` for a sent message. */
	outbound: boolean;
	/** The agent's number on the native network. */
	nativeMessageNumber: string;
	/** The numbers in the chat. */
	participants: string[];
	/** The chat's id on the native network; `null` until the message is sent. */
	chatGuid: string | null;
	/** The message's id on the native network; `null` until it is sent. */
	messageGuid: string | null;
	/** Unix milliseconds. */
	timestamp_ms: number;
	/** Why it failed, or `null`. */
	error: string | Record<string, unknown> | null;
}

export const messageSchema = schemaOf<Message>("Message")(
	z.looseObject({
		messageId: receivedUuid,
		status: openEnum(MESSAGE_STATUSES),
		text: z.string(),
		from: z.string(),
		to: z.string(),
		groupId: z.nullable(z.string()),
		attachments: z.array(receivedAttachment),
		status_callback: z.nullable(z.string()),
		outbound: z.boolean(),
		nativeMessageNumber: z.string(),
		participants: z.array(z.string()),
		chatGuid: z.nullable(z.string()),
		messageGuid: z.nullable(z.string()),
		timestamp_ms: z.number(),
		error: z.nullable(
			z.union([z.string(), z.record(z.string(), z.unknown())], "must be a string, an object or null"),
		),
	}),
);

/** `data` of the operations on one message. */
export interface MessageData {
	/** The message; an accepted send answers with status `queued`. */
	message: Message;
}

export const messageData = schemaOf<MessageData>("MessageData")(z.looseObject({ message: messageSchema }));

/** Which page of a list. */
export interface PageInput {
	/**
	 * How many items a page holds, from 1 to 100.
	 * @default 50
	 */
	limit?: number | undefined;
	/** Where to go on: `nextCursor` of the page before. */
	cursor?: string | undefined;
}

export const pageFields = {
	limit: z.optional(z.number().check(z.int("must be a whole number"), z.minimum(1), z.maximum(100))),
	cursor: z.optional(z.string().check(z.minLength(1, "must not be empty"), z.maxLength(1024))),
};

/** A span of time. */
export interface TimeRange {
	/** Only from this time on, in Unix milliseconds, inclusive. */
	after?: number | undefined;
	/** Only before this time, in Unix milliseconds, exclusive. */
	before?: number | undefined;
}

export const timeRangeFields = { after: z.optional(wholeNumber), before: z.optional(wholeNumber) };

/** A single contact's number, as a path names it. */
export interface ToNumberInput {
	/** The contact's number, in E.164. */
	toNumber: string;
}

export const toNumberInput = schemaOf<ToNumberInput>("ToNumberInput")(
	z.strictObject({ toNumber: phoneNumber }),
);

/** Input of operations that take none. */
export type NoInput = Record<never, never>;

export const noInput = schemaOf<NoInput>("NoInput")(z.strictObject({}));
