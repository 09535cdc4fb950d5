import type { HistoryEntry } from "../../local-gateway/history.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";

/** What happened in a conversation, in order. */
export type Story = readonly StoryEvent[];

export type StoryEvent = MessageRecord | HistoryEntry;

/** What a contact did, and what the application did in reply. */
export interface Exchange {
	readonly event: StoryEvent;
	readonly replies: readonly StoryEvent[];
}

/** How long after an event of a contact the application is taken to reply to it. */
const REPLY_MS = 60_000;

/** The story of a conversation, with the messages of others that blocked its sends. */
export function collectStory(world: World, { key }: Conversation): Story {
	const entries = world.history.all().filter(({ conversationKey }) => conversationKey === key);
	const blockers = new Set(entries.map((entry) => (entry.type === "rejected" ? entry.blockedBy : undefined)));
	const records = world.messages
		.all()
		.filter(({ conversation, message }) => conversation.key === key || blockers.has(message.messageId));
	return [...records, ...entries].sort((left, right) => left.sequence - right.sequence);
}

/** Puts the application's replies to the event that they follow; other events are without any. */
export function findReplies(story: Story, { key }: Conversation): readonly Exchange[] {
	const exchanges: Exchange[] = [];
	let replies: StoryEvent[] = [];
	let endsAt = Number.NEGATIVE_INFINITY;
	for (const event of story) {
		if (isByContact(event)) {
			replies = [];
			endsAt = timeOf(event) + REPLY_MS;
			exchanges.push({ event, replies });
		} else if (isByApplication(event, key) && timeOf(event) <= endsAt) replies.push(event);
		else exchanges.push({ event, replies: [] });
	}
	return exchanges;
}

/** When an event happened, in Unix milliseconds. */
export function timeOf(event: StoryEvent): number {
	return Math.round("message" in event ? event.message.timestamp_ms : event.at);
}

function isByContact(event: StoryEvent): boolean {
	return "message" in event ? !event.message.outbound : event.type === "read" || event.type === "reaction";
}

/** Messages of other conversations only block sends of this one. */
function isByApplication(event: StoryEvent, key: string): boolean {
	if ("message" in event) return event.conversation.key === key;
	return event.type === "rejected" || event.type === "faulted" || event.type === "tapback";
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
