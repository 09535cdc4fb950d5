import { sha256Hex } from "../signing/hash.ts";
import type { WebhookEvent } from "./events.ts";

/** Half of a SHA-256 digest: short enough for the group key of any queue. */
const DIGEST_CHARACTERS = 32;

/**
 * Returns one key for a chat, the same for each of its messages, reactions and statuses. Use it as a queue's group key,
 * or a lock's name, for work that must keep the order of a conversation.
 *
 * It identifies the group, or the contact: the sender of an inbound event, the receiver of a message that you sent. It
 * ignores `chatGuid`, which may change with the network (native or SMS), and differs between the numbers that you send
 * from. The key is `chat_` and 32 hex digits of a SHA-256 digest, so it shows no handle. But numbers are few, and
 * anyone with the key can find its contact by trying them: treat it as personal data.
 * @param event - a verified event, also after a queue has kept it as JSON.
 * @returns `undefined` if the event does not show its chat, as an event of an unknown type may.
 */
export function conversationOf(event: WebhookEvent): string | undefined {
	const chat = findChat(event);
	return chat && keyOfChat(chat);
}

/** A group, or the contact of an individual chat. */
export type ChatTarget = { readonly to: string } | { readonly groupId: string };

/** The chat of an event, if it shows one. */
export function findChat(event: WebhookEvent): ChatTarget | undefined {
	// What fits is also decoded, and filled.
	const narrowed = event.kind === "unknown" ? event.narrowed : undefined;
	const { groupId, outbound, from, to }: EventChat = (narrowed ?? event).data;
	if (isName(groupId)) return { groupId };
	// Without a valid group field the event may be a group's, and has no key.
	if ((groupId !== null && groupId !== "") || typeof outbound !== "boolean") return undefined;
	const contact = outbound ? to : from;
	return isName(contact) ? { to: contact } : undefined;
}

export function keyOfChat(chat: ChatTarget): string {
	return digest("to" in chat ? `contact:${chat.to}` : `group:${chat.groupId}`);
}

/** The fields that show a chat; of an unknown event they may hold anything. */
type EventChat = { readonly [Name in "groupId" | "outbound" | "from" | "to"]?: unknown };

function isName(value: unknown): value is string {
	return typeof value === "string" && value !== "";
}

function digest(name: string): string {
	return `chat_${sha256Hex(name).slice(0, DIGEST_CHARACTERS)}`;
}
