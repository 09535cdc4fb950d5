import type { ConversationView, MessageView } from "../../../control/contract.ts";
import type { GatewayState } from "./gateway-state.ts";

/** The conversations, most recent message first. */
export function sortConversations({ conversations }: GatewayState): ConversationView[] {
	return [...conversations.values()].sort(
		(left, right) => (right.lastMessageAt ?? 0) - (left.lastMessageAt ?? 0),
	);
}

/** Groups the messages by conversation, in order. */
export function groupMessages(
	messages: GatewayState["messages"],
): ReadonlyMap<string, readonly MessageView[]> {
	const groups = new Map<string, MessageView[]>();
	for (const message of messages.values()) {
		const group = groups.get(message.conversationKey);
		if (group === undefined) groups.set(message.conversationKey, [message]);
		else group.push(message);
	}
	for (const group of groups.values()) group.sort((left, right) => left.sequence - right.sequence);
	return groups;
}

/** The contact's number; for a group, the first member's number and the number of others. */
export function titleOf({ groupId, contacts, key }: ConversationView): string {
	return groupId === null ? key : `${contacts[0] ?? key} + ${contacts.length - 1}`;
}

/** Describes a conversation's members and special behaviour. */
export function describeConversation({
	groupId,
	contacts,
	behaviour,
	agentNumber,
}: ConversationView): string {
	if (groupId !== null) return `${contacts.join(", ")} with agent ${agentNumber}`;
	return behaviour ?? `with agent ${agentNumber}`;
}

/** Summarizes a message in one line, for lists and screen readers. */
export function summarize({ text, attachments }: Pick<MessageView, "text" | "attachments">): string {
	const line = text.replace(/\s+/g, " ").trim();
	if (line !== "") return line;
	if (attachments.length === 0) return "Empty message";
	return attachments.length === 1 ? "An attachment" : `${attachments.length} attachments`;
}

/** Describes why a message failed. */
export function describeError(error: MessageView["error"]): string | null {
	if (error === null || typeof error === "string") return error;
	const { message, code } = error;
	if (typeof message === "string") return message;
	return typeof code === "string" ? code : JSON.stringify(error);
}
