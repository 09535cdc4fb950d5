import * as z from "zod/mini";
import {
	type ChatFields,
	chatFields,
	identifier,
	toNumberInput,
	type WithOneChat,
	withOneChat,
} from "./input-fields.ts";
import { messageData } from "./message.ts";
import { type OperationDocs, operation } from "./operation.ts";
import { type OpenEnum, openEnum, receivedMilliseconds, schemaOf } from "./schema.ts";
import { REACTIONS, type Reaction } from "./shared.ts";

/** A tapback to add or remove. */
export interface TapbackInput {
	/** The `messageGuid` of the message to react to. */
	messageGuid: string;
	/** The reaction. */
	reaction: Reaction;
	/** The part of the message to react to, from 0, if it has several. */
	partIndex?: number | undefined;
}

/** Fields of `messages.tapback`. */
export interface TapbackFields extends TapbackInput {
	/** Whether the reaction is added or removed. */
	action: "add" | "remove";
}

/** The result of `messages.addTapback` and `removeTapback`. */
export interface TapbackData {
	/** The message reacted to. */
	messageGuid: string;
	/** The reaction. */
	reaction: Reaction;
	/** Whether the reaction was added or removed. */
	action: OpenEnum<"add" | "remove">;
}

/** The fields of a typing indicator. */
export interface TypingFields extends ChatFields {
	/** Whether the indicator starts or stops. */
	state: "start" | "stop";
	/** How long the indicator shows unless you stop it, up to 300,000 ms (assumed). */
	durationMs?: number | undefined;
}

/** A chat to show the typing indicator in, with exactly one of `to` and `groupId`. */
export type StartTypingInput = WithOneChat<Omit<TypingFields, "state">>;

/** A chat to stop the typing indicator in, with exactly one of `to` and `groupId`. */
export type StopTypingInput = WithOneChat<ChatFields>;

/** The result of `messages.startTyping` and `stopTyping`. */
export interface TypingData {
	/** The chat. */
	chatGuid: string;
	/** Whether the indicator now shows. */
	state: OpenEnum<"start" | "stop">;
	/** When the indicator ends by itself, in Unix milliseconds, or `null`. */
	expiresAt: number | null;
}

/** The fields of a read receipt. */
export interface MarkReadFields extends ChatFields {
	/** The last message to mark as read. If you leave it out, the whole chat is. */
	messageGuid?: string | undefined;
}

/** A chat to mark as read, with exactly one of `to` and `groupId`. */
export type MarkReadInput = WithOneChat<MarkReadFields>;

/** The result of `messages.markRead`. */
export interface MarkReadData {
	/** The chat. */
	chatGuid: string;
	/** When the receipt was sent, in Unix milliseconds. */
	markedAt: number;
}

/** The result of `messages.checkCapability`. */
export interface CapabilityData {
	/** The number that you checked. */
	number: string;
	/** Whether the contact can use the native messaging network. */
	native: boolean;
	/** The network that a message would take. */
	service: OpenEnum<"native" | "SMS" | "unknown">;
	/** When the gateway checked it, in Unix milliseconds. */
	checkedAt: number;
}

/** Names one message. */
export interface MessageIdInput {
	/** The message's UUID. */
	messageId: string;
}

export const tapback = operation({
	id: "messages.tapback",
	method: "POST",
	path: "/message/tapback",
	retry: "idempotent",
	input: schemaOf<TapbackFields>("TapbackFields")(
		z.strictObject({
			messageGuid: identifier,
			action: z.enum(["add", "remove"], 'must be "add" or "remove"'),
			reaction: openEnum(REACTIONS).check(z.minLength(1, "must not be empty")),
			partIndex: z.optional(z.number().check(z.int("must be an integer"), z.minimum(0))),
		}),
	),
	data: schemaOf<TapbackData>("TapbackData")(
		z.looseObject({
			messageGuid: z.string(),
			reaction: openEnum(REACTIONS),
			action: openEnum(["add", "remove"]),
		}),
	),
});

export const typing = operation({
	id: "messages.typing",
	method: "POST",
	path: "/message/typing",
	retry: "idempotent",
	input: withOneChat(
		schemaOf<TypingFields>("TypingFields")(
			z.strictObject({
				...chatFields,
				state: z.enum(["start", "stop"], 'must be "start" or "stop"'),
				durationMs: z.optional(z.number().check(z.int("must be an integer"), z.minimum(1))),
			}),
		),
	),
	data: schemaOf<TypingData>("TypingData")(
		z.looseObject({
			chatGuid: z.string(),
			state: openEnum(["start", "stop"]),
			expiresAt: z.nullable(receivedMilliseconds),
		}),
	),
});

export const markRead = operation({
	id: "messages.markRead",
	method: "POST",
	path: "/message/read",
	retry: "idempotent",
	input: withOneChat(
		schemaOf<MarkReadFields>("MarkReadFields")(
			z.strictObject({ ...chatFields, messageGuid: z.optional(identifier) }),
		),
	),
	data: schemaOf<MarkReadData>("MarkReadData")(
		z.looseObject({ chatGuid: z.string(), markedAt: receivedMilliseconds }),
	),
});

export const checkCapability = operation({
	id: "messages.checkCapability",
	method: "GET",
	path: "/capability/{toNumber}",
	retry: "safe",
	input: toNumberInput,
	data: schemaOf<CapabilityData>("CapabilityData")(
		z.looseObject({
			number: z.string(),
			native: z.boolean(),
			service: openEnum(["native", "SMS", "unknown"]),
			checkedAt: receivedMilliseconds,
		}),
	),
});

export const getMessage = operation({
	id: "messages.get",
	method: "GET",
	path: "/message/{messageId}",
	retry: "safe",
	input: schemaOf<MessageIdInput>("MessageIdInput")(z.strictObject({ messageId: identifier })),
	data: messageData,
});

export const messageDocs = {
	"messages.tapback": {
		summary: "Adds a reaction to a message, or removes it.",
		errors: ["MESSAGE_NOT_FOUND", "NATIVE_UNSUPPORTED"],
		methods: ["addTapback", "removeTapback"],
	},
	"messages.typing": {
		summary: "Shows the typing indicator in a chat, or stops it.",
		errors: ["MAPPING_NOT_FOUND", "GROUP_NOT_FOUND"],
		methods: ["startTyping", "stopTyping"],
	},
	"messages.markRead": {
		summary: "Sends a read receipt for a chat.",
		errors: ["MAPPING_NOT_FOUND", "GROUP_NOT_FOUND"],
	},
	"messages.checkCapability": { summary: "Whether a number can use the native messaging network." },
	"messages.get": { summary: "One message and its delivery status.", errors: ["MESSAGE_NOT_FOUND"] },
} satisfies Record<string, OperationDocs>;
