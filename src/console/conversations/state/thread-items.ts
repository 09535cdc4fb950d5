import type { ConversationView, MessageView } from "../../../local-gateway/control/contract.ts";
import { behaviourOf } from "../../../local-gateway/magic-numbers.ts";

/** A message, and all that its bubble shows of its surroundings. */
export interface MessageItem {
	readonly kind: "message";
	readonly message: MessageView;
	/** Whether it begins what its sender says. */
	readonly isFirst: boolean;
	/** Whether its sender's number stands above it: in groups, where it begins. */
	readonly isSenderNamed: boolean;
	/** Whether it went by SMS. */
	readonly isSms: boolean;
	/** Whether it is the last one up to which the agent has read. */
	readonly isReadByAgent: boolean;
	/** The message that it answers, where that is at hand. */
	readonly repliesTo: MessageView | undefined;
}

/** What stands in a thread: a day's name, or a message. */
export type ThreadItem = MessageItem | { readonly kind: "day"; readonly label: string; readonly at: number };

/** Messages of one sender that follow within this time stand together. */
const SAME_BREATH_MS = 120_000;

const DAY_MS = 86_400_000;

/** The messages of a conversation with the names of the days between them. */
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
		const isFirst = previous === undefined || isNewDay || !isSameBreath(previous, message);
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

/** Only a chat's behaviour makes messages fall back, so it tells of a delivered one how it went. */
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

function isSameBreath(left: MessageView, right: MessageView): boolean {
	return (
		left.outbound === right.outbound &&
		left.from === right.from &&
		right.timestamp_ms - left.timestamp_ms < SAME_BREATH_MS
	);
}
