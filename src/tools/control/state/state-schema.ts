import * as z from "zod/mini";
import { httpUrl } from "../../../library/catalogue/input-fields.ts";
import { mappingSchema } from "../../../library/catalogue/mappings.ts";
import { messageSchema } from "../../../library/catalogue/message.ts";
import { DESTINATION_RULE, isDestination } from "../../local-gateway/destination-url.ts";
import { RECEIVER_FAILURES } from "../../local-gateway/failed-attempt.ts";

/*
 * The content of a state file. A later run reads it, perhaps of another version: a change here needs a new
 * STATE_VERSION, unless it only adds optional fields.
 */

export const STATE_VERSION = 3;

const list = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item));
const text = z.string();
const number = z.number();
const flag = z.boolean();
const headers = z.record(text, text);
const kind = z.enum(["text", "attachments", "voice"]);
/** A URL that a request set, so it passes the same check again. */
const callback = z.nullable(text.check(z.refine(isDestination, DESTINATION_RULE)));

const agent = z.object({
	sequence: number,
	agentNumber: text,
	name: z.nullable(text),
	createdAt: number,
	maxConsecutiveMessages: z.optional(number),
	isOnline: flag,
	isBlocked: flag,
	blockedReason: z.nullable(text),
	lastSeenAt: number,
});

const conversation = z.object({
	sequence: number,
	key: text,
	groupId: z.nullable(text),
	contacts: list(text),
	chatGuid: text,
	/** Whether it was not deleted; a deleted one is kept for its messages. */
	isKept: flag,
	mapping: mappingSchema,
	groupName: z.optional(text),
	previousAgentNumber: z.optional(text),
	windowId: number,
	lastAccepted: z.optional(z.object({ signature: text, at: number, messageId: text })),
	lastAttempt: z.optional(z.object({ signature: text, agentNumber: text, isDuplicate: flag })),
	lastSentId: z.optional(text),
	unreadIds: list(text),
	lastMessageAt: z.nullable(number),
	typingUntil: z.nullable(number),
	readUpTo: z.nullable(z.object({ sequence: number, at: number })),
});

const step = z.tuple([
	z.enum(["sent", "SMS_FALLBACK", "delivered", "read", "failed", "reply", "react"]),
	z.enum(["sentMs", "deliveredMs", "readMs", "replyMs", "readLateMs"]),
]);

const message = z.object({
	sequence: number,
	/** The `sequence` of its conversation. */
	conversation: number,
	message: messageSchema.check(
		z.refine(
			({ status_callback: url }) => url === null || isDestination(url),
			"must have a status_callback that is an https URL, or one of this machine",
		),
	),
	kind,
	signature: z.optional(text),
	windowId: number,
	effect: z.optional(text),
	replyToGuid: z.optional(text),
	attachmentIds: list(z.nullable(text)),
	tapbacks: list(z.object({ by: text, reaction: text, partIndex: z.optional(number) })),
	journey: z.optional(z.object({ steps: list(z.readonly(step)), dueAt: number })),
});

const check = z.union([
	z.object({ isValid: z.literal(true) }),
	z.object({ isValid: z.literal(false), code: text, message: text }),
]);

const attempt = z.object({
	recorded: z.object({
		at: number,
		timestamp: number,
		status: z.exactOptional(number),
		error: z.exactOptional(text),
	}),
	failure: z.optional(z.enum(RECEIVER_FAILURES)),
	headers,
	sentBody: z.optional(text),
	isEdited: z.optional(flag),
	check: z.optional(check),
	response: z.optional(z.object({ headers, body: text, bodyNote: z.exactOptional(text) })),
	durationMs: z.optional(number),
});

const delivery = z.object({
	sequence: number,
	createdAt: number,
	eventId: text,
	kind: z.enum(["inbound_message", "inbound_reaction", "status"]),
	messageId: text,
	conversationKey: text,
	statusCallback: callback,
	body: text,
	url: text,
	headers,
	attempts: z.array(attempt),
	state: z.enum(["pending", "delivered", "failed", "kept"]),
});

/** Everything of a gateway that outlives its process. */
export const stateSchema = z.object({
	/** How far the clock is ahead. */
	offsetMs: number,
	/** The option of that run; a later run with another one ignores the saved destinations. */
	deliverTo: z.nullable(httpUrl),
	inboundWebhookUrl: z.nullable(httpUrl),
	statusWebhookUrl: z.nullable(httpUrl),
	/** The last number of the sequence. */
	lastSequence: number,
	agents: list(agent),
	/** The conversations that are kept, and those of kept messages. */
	conversations: list(conversation),
	messages: list(message),
	deliveries: list(delivery),
	/** The bytes of attachments, by id. */
	attachments: z.record(text, z.base64()),
	/** When each nonce expires, in Unix milliseconds. */
	nonces: z.record(text, number),
});

export type State = z.output<typeof stateSchema>;
