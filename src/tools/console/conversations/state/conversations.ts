import type { ConversationView, MessageView } from "../../../control/contract.ts";
import type { GatewayState } from "./gateway-state.ts";

export function sortConversations({ conversations }: Pick<GatewayState, "conversations">) {
	const lastOf = ({ lastMessageAt }: ConversationView): number => lastMessageAt ?? 0;
	return [...conversations.values()].sort((left, right) => lastOf(right) - lastOf(left));
}

export interface ConversationSearch {
	/** In a contact's handle, the group's id, or the title. */
	readonly text: string;
	readonly isOnlyFailed: boolean;
}

export function filterConversations(
	conversations: readonly ConversationView[],
	{ text, isOnlyFailed }: ConversationSearch,
): readonly ConversationView[] {
	if (text === "" && !isOnlyFailed) return conversations;
	const sought = text.toLowerCase();
	return conversations.filter((conversation) => {
		const { key, contacts, failedCount } = conversation;
		const texts = [key, ...contacts, titleOf(conversation)];
		return (!isOnlyFailed || failedCount > 0) && texts.some((known) => known.toLowerCase().includes(sought));
	});
}

/** The contact's handle; for a group its name, or else the first member and how many others there are. */
export function titleOf({ groupId, groupName, contacts, key }: ConversationView): string {
	return groupId === null ? key : (groupName ?? `${contacts[0] ?? key} + ${contacts.length - 1}`);
}

/** Describes a conversation's members and special behaviour. */
export function describeConversation(conversation: ConversationView): string {
	const { groupId, contacts, behaviour, agentNumber } = conversation;
	if (groupId !== null) return `${contacts.join(", ")} with agent ${agentNumber}`;
	return behaviour ?? `with agent ${agentNumber}`;
}

/** Summarizes a message in one line, for lists and screen readers. */
export function summarizeMessage(message: Pick<MessageView, "kind" | "text" | "attachments">): string {
	const { kind, text, attachments } = message;
	const line = text.replace(/\s+/g, " ").trim();
	if (line !== "") return line;
	if (kind === "voice") return "Voice note";
	if (attachments.length === 0) return "Empty message";
	return attachments.length === 1 ? "An attachment" : `${attachments.length} attachments`;
}

export function describeError(error: MessageView["error"]): string | null {
	if (error === null || typeof error === "string") return error;
	const { message, code }: { message?: unknown; code?: unknown } = Object(error);
	if (typeof message === "string") return message;
	return typeof code === "string" ? code : (JSON.stringify(error) ?? null);
}
