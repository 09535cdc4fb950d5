import * as z from "zod/mini";
import { messageSchema, receivedAttachment } from "../../../library/catalogue/message.ts";

/*
 * The contents of state rows. A later run reads them, perhaps of another version: a change here needs a new
 * STATE_VERSION, unless it only adds optional fields.
 */

export const STATE_VERSION = 2;

const list = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item));
const timestamp = z.nullable(z.number());
const headers = z.record(z.string(), z.string());

/** The state of the gateway as a whole. */
export const storedGateway = z.object({
	/** How far the clock is ahead. */
	offsetMs: z.number(),
	/** The option of that run; a later run with another one ignores the saved destinations. */
	deliverTo: z.nullable(z.string()),
	inboundWebhookUrl: z.nullable(z.string()),
	statusWebhookUrl: z.nullable(z.string()),
});

/** An agent; its number of mappings follows from the conversations. */
export const storedAgent = z.object({
	sequence: z.number(),
	agentNumber: z.string(),
	name: z.nullable(z.string()),
	createdAt: z.number(),
	maxConsecutiveMessages: z.optional(z.number()),
	isOnline: z.boolean(),
	isBlocked: z.boolean(),
	blockedReason: z.nullable(z.string()),
	lastSeenAt: z.number(),
});

const chat = {
	key: z.string(),
	groupId: z.nullable(z.string()),
	contacts: list(z.string()),
};

/** A conversation; its unread messages and duplicate windows follow from the messages. */
export const storedConversation = z.object({
	...chat,
	sequence: z.number(),
	chatGuid: z.string(),
	agentNumber: z.string(),
	groupName: z.optional(z.string()),
	previousAgentNumber: z.optional(z.string()),
	counters: z.object({
		createdAt: timestamp,
		respondedAt: timestamp,
		lastRespondedAt: timestamp,
		receivedAt: timestamp,
		lastReceivedAt: timestamp,
		outbound: z.number(),
		inbound: z.number(),
		consecutiveCount: z.number(),
		lastWarningSentAt: timestamp,
		maxConsecutiveMessages: z.number(),
	}),
	windowId: z.number(),
	lastAccepted: z.optional(z.object({ signature: z.string(), at: z.number(), messageId: z.string() })),
	lastAttempt: z.optional(
		z.object({ signature: z.string(), agentNumber: z.optional(z.string()), isDuplicate: z.boolean() }),
	),
	lastSentId: z.optional(z.string()),
	lastMessageAt: timestamp,
	typingUntil: timestamp,
	readUpTo: z.nullable(z.object({ sequence: z.number(), at: z.number() })),
});

const steps = list(
	z.readonly(
		z.tuple([
			z.enum(["sent", "SMS_FALLBACK", "delivered", "read", "failed", "reply", "react"]),
			z.enum(["sentMs", "deliveredMs", "readMs", "replyMs", "readLateMs"]),
		]),
	),
);

/** A message. Its conversation may have been deleted since, so it names the chat as well. */
export const storedMessage = z.object({
	sequence: z.number(),
	conversation: z.number(),
	chat: z.object(chat),
	message: messageSchema,
	kind: z.enum(["text", "attachments", "voice"]),
	signature: z.optional(z.string()),
	windowId: z.number(),
	isAutomatic: z.boolean(),
	isUnread: z.boolean(),
	effect: z.optional(z.string()),
	replyToGuid: z.optional(z.string()),
	attachmentIds: list(z.nullable(z.string())),
	tapbacks: list(z.object({ by: z.string(), reaction: z.string(), partIndex: z.optional(z.number()) })),
	journey: z.optional(z.object({ steps, dueAt: z.number() })),
});

const check = z.union([
	z.object({ isValid: z.literal(true) }),
	z.object({ isValid: z.literal(false), code: z.string(), message: z.string() }),
]);

const attempt = z.object({
	recorded: z.object({
		at: z.number(),
		timestamp: z.number(),
		status: z.exactOptional(z.number()),
		error: z.exactOptional(z.string()),
	}),
	headers,
	sentBody: z.optional(z.string()),
	isEdited: z.optional(z.boolean()),
	check: z.optional(check),
	response: z.optional(z.object({ headers, body: z.string(), bodyNote: z.exactOptional(z.string()) })),
	durationMs: z.optional(z.number()),
});

/** A delivery and its log. */
export const storedDelivery = z.object({
	sequence: z.number(),
	createdAt: z.number(),
	eventId: z.string(),
	kind: z.enum(["inbound_message", "inbound_reaction", "status"]),
	messageId: z.string(),
	conversationKey: z.string(),
	statusCallback: z.nullable(z.string()),
	body: z.string(),
	url: z.string(),
	headers,
	attempts: z.array(attempt),
	state: z.enum(["pending", "delivered", "failed", "kept"]),
});

const content = z.object({
	kind: z.enum(["text", "attachments", "voice"]),
	text: z.string(),
	attachments: list(receivedAttachment),
	signature: z.string(),
	agentNumber: z.optional(z.string()),
});

const fault = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("respond"), status: z.number(), retryAfterSeconds: z.optional(z.number()) }),
	z.object({ kind: z.literal("drop"), when: z.enum(["before", "after"]) }),
	z.object({ kind: z.literal("corrupt"), as: z.enum(["html", "truncated", "empty"]) }),
]);

const stamp = { sequence: z.number(), conversationKey: z.string(), at: z.number() };

/** An event beside messages. */
export const storedHappening = z.discriminatedUnion("type", [
	z.object({
		...stamp,
		type: z.literal("rejected"),
		code: z.string(),
		content,
		blockedBy: z.optional(z.string()),
	}),
	z.object({ ...stamp, type: z.literal("struck"), fault, content }),
	z.object({ ...stamp, type: z.literal("read") }),
	z.object({
		...stamp,
		type: z.literal("reaction"),
		by: z.string(),
		reaction: z.string(),
		messageId: z.string(),
	}),
	z.object({
		...stamp,
		type: z.literal("tapback"),
		action: z.enum(["add", "remove"]),
		reaction: z.string(),
		messageId: z.string(),
		partIndex: z.optional(z.number()),
	}),
	z.object({ ...stamp, type: z.literal("mapping_reset") }),
	z.object({ ...stamp, type: z.literal("mapping_limit"), before: z.number(), after: z.number() }),
	z.object({ ...stamp, type: z.literal("mapping_deleted") }),
]);

export type StoredGateway = z.output<typeof storedGateway>;
export type StoredAgent = z.output<typeof storedAgent>;
export type StoredConversation = z.output<typeof storedConversation>;
export type StoredMessage = z.output<typeof storedMessage>;
export type StoredDelivery = z.output<typeof storedDelivery>;
export type StoredHappening = z.output<typeof storedHappening>;
