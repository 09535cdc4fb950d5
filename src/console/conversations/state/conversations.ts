import type { ConversationView, MessageView } from "../../../local-gateway/control/contract.ts";
import type { GatewayState } from "./gateway-state.ts";

/** The conversations, the one where something happened last first. */
export function sortConversations({ conversations }: GatewayState): ConversationView[] {
	return [...conversations.values()].sort(
		(left, right) => (right.lastMessageAt ?? 0) - (left.lastMessageAt ?? 0),
	);
}

/** The messages of each conversation, in their order. */
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

/** What to call a conversation: the contact's number, or that of a group's first member and how many more there are. */
export function titleOf({ groupId, contacts, key }: ConversationView): string {
	return groupId === null ? key : `${contacts[0] ?? key} + ${contacts.length - 1}`;
}

/** Who is in a conversation, and what is special about it. */
export function describeConversation({
	groupId,
	contacts,
	behaviour,
	agentNumber,
}: ConversationView): string {
	if (groupId !== null) return `${contacts.join(", ")} with agent ${agentNumber}`;
	return behaviour ?? `with agent ${agentNumber}`;
}

/** A message in one line, for lists and for screen readers. */
export function summarize({ text, attachments }: Pick<MessageView, "text" | "attachments">): string {
	const line = text.replace(/\s+/g, " ").trim();
	if (line !== "") return line;
	if (attachments.length === 0) return "Empty message";
	return attachments.length === 1 ? "An attachment" : `${attachments.length} attachments`;
}

/** Why a message failed, in words. */
export function describeError(error: MessageView["error"]): string | null {
	if (error === null || typeof error === "string") return error;
	const { message, code } = error;
	if (typeof message === "string") return message;
	return typeof code === "string" ? code : JSON.stringify(error);
}
