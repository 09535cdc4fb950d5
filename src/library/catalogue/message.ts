import * as z from "zod/mini";
import { openEnum, receivedMilliseconds, receivedUuid, schemaOf } from "./schema.ts";
import { MESSAGE_STATUSES, type MessageStatus, type ReceivedAttachment } from "./shared.ts";

/**
 * A message and its delivery status, with the fields of a status event.
 * @see Specification, section 6.4
 */
export interface Message {
	/** The message's UUID. */
	messageId: string;
	/** The delivery status. */
	status: MessageStatus;
	/** The text. It is empty for a voice note or an attachment without text. */
	text: string;
	/** The sender: a number, or a contact's e-mail address or short code. */
	from: string;
	/** The receiver: a number, or a contact's e-mail address or short code. For a group, it is one participant. */
	to: string;
	/** The group's id, or `null` for an individual chat. */
	groupId: string | null;
	/** The attachments. */
	attachments: ReceivedAttachment[];
	/** The URL for this message's status updates, or `null` for the registered one. */
	status_callback: string | null;
	/** Whether you sent the message. */
	outbound: boolean;
	/** By its name, a number on the native network. */
	nativeMessageNumber: string;
	/** By its name, the members of the chat. */
	participants: string[];
	/** By its name, the id of the chat. Assumed: `null` until the message is sent. */
	chatGuid: string | null;
	/** By its name, another id of the message. Assumed: `null` until it is sent. */
	messageGuid: string | null;
	/** The time of the message, in Unix milliseconds. */
	timestamp_ms: number;
	/**
	 * Why the message failed, or `null`. It may have any type: `failureReason` of `messaging-gateway/webhooks` reads
	 * them all.
	 */
	error: unknown;
}

const receivedAttachment = z.record(z.string(), z.unknown());

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
		timestamp_ms: receivedMilliseconds,
		error: z.unknown(),
	}),
);

/** The result of the operations on one message. */
export interface MessageData {
	/** The message. Its status is `queued` after an accepted send. */
	message: Message;
}

export const messageData = schemaOf<MessageData>("MessageData")(z.looseObject({ message: messageSchema }));
