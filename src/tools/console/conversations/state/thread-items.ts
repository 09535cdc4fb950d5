import type { ConversationView, MessageView } from "../../../control/contract.ts";
import { behaviourOf } from "../../../local-gateway/magic-numbers.ts";

/** A message and the context that its bubble shows. */
export interface MessageItem {
	readonly kind: "message";
	readonly message: MessageView;
	/** Whether it is the first of consecutive messages of its sender. */
	readonly isFirst: boolean;
	/** Whether the sender's number is shown above it: for the first message, in groups. */
	readonly isSenderNamed: boolean;
	/** Whether it was sent by SMS. */
	readonly isSms: boolean;
	/** Whether it is the last message that the agent has read. */
	readonly isReadByAgent: boolean;
	/** The message that it replies to, if the page has it. */
	readonly repliesTo: MessageView | undefined;
}

/** An item of a thread: a day's name or a message. */
export type ThreadItem = MessageItem | { readonly kind: "day"; readonly label: string; readonly at: number };

/** Messages of one sender within this time are grouped. */
const SAME_GROUP_MS = 120_000;

const DAY_MS = 86_400_000;

/** The messages of a conversation, with the names of the days between them. */
export function threadItems(
	conversation: Pick<ConversationView, "groupId" | "contacts" | "readUpTo">,
	messages: readonly MessageView[],
	now: number,
): ThreadItem[] {
	const items: ThreadItem[] = [];
	const byGuid = new Map(messages.map((message) => [message.messageGuid, message]));
	const lastRead = findLastRead(conversation, messages);
	const fallsBack = fallsBackToSms(conversation);
	let previous: MessageView | undefined;
	for (const message of messages) {
		const { timestamp_ms: at, outbound, status } = message;
		const isNewDay = previous === undefined || !isSameDay(previous.timestamp_ms, at);
		if (isNewDay) items.push({ kind: "day", label: nameDay(at, now), at });
		const isFirst = previous === undefined || isNewDay || !isSameGroup(previous, message);
		items.push({
			kind: "message",
			message,
			isFirst,
			isSenderNamed: isFirst && !outbound && conversation.groupId !== null,
			isSms: outbound && (status === "SMS_FALLBACK" || (fallsBack && status === "delivered")),
			isReadByAgent: message === lastRead,
			repliesTo: message.replyToGuid === undefined ? undefined : byGuid.get(message.replyToGuid),
		});
		previous = message;
	}
	return items;
}

/** The last message of a contact that the agent has read. */
function findLastRead(
	{ readUpTo }: Pick<ConversationView, "readUpTo">,
	messages: readonly MessageView[],
): MessageView | undefined {
	if (readUpTo === null) return undefined;
	return messages.findLast(({ outbound, sequence }) => !outbound && sequence <= readUpTo.sequence);
}

/** Whether the contact's behaviour makes messages fall back to SMS: the status `delivered` no longer shows it. */
function fallsBackToSms(conversation: Pick<ConversationView, "groupId" | "contacts">): boolean {
	return behaviourOf(conversation).steps.some(([step]) => step === "SMS_FALLBACK");
}

/** Today, yesterday, or the date. */
export function nameDay(unixMs: number, now: number): string {
	if (isSameDay(unixMs, now)) return "Today";
	if (isSameDay(unixMs, now - DAY_MS)) return "Yesterday";
	return new Date(unixMs).toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" });
}

function isSameDay(left: number, right: number): boolean {
	return new Date(left).toDateString() === new Date(right).toDateString();
}

function isSameGroup(left: MessageView, right: MessageView): boolean {
	return (
		left.outbound === right.outbound &&
		left.from === right.from &&
		right.timestamp_ms - left.timestamp_ms < SAME_GROUP_MS
	);
}
