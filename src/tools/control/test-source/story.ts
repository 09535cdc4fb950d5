import type { HistoryEntry } from "../../local-gateway/history.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";

/** What happened in a conversation, in order. */
export type Story = readonly (MessageRecord | HistoryEntry)[];

/** The story of a conversation, with the messages of others that blocked its sends. */
export function collectStory(world: World, { key }: Conversation): Story {
	const entries = world.history.all().filter(({ conversationKey }) => conversationKey === key);
	const blockers = new Set(entries.map((entry) => (entry.type === "rejected" ? entry.blockedBy : undefined)));
	const records = world.messages
		.all()
		.filter(({ conversation, message }) => conversation.key === key || blockers.has(message.messageId));
	return [...records, ...entries].sort((left, right) => left.sequence - right.sequence);
}

/** The agents of a story. */
export function agentsOf(story: Story): string[] {
	const numbers = story.flatMap((event) => {
		if ("message" in event) return event.message.outbound ? event.message.from : event.message.to;
		return "content" in event ? event.content.agentNumber : [];
	});
	return [...new Set(numbers)].filter((number) => number !== undefined);
}

/** The limit of consecutive messages before it was changed. */
export function firstLimit(story: Story, { counters }: Conversation): number {
	const limits = story.flatMap((event) =>
		"message" in event || event.type !== "mapping_limit" ? [] : event.before,
	);
	return limits[0] ?? counters.maxConsecutiveMessages;
}
