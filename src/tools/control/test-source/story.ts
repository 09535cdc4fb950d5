import type { Happening } from "../../local-gateway/history.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";

/** What happened in a conversation, in order. */
export type Story = readonly (MessageRecord | Happening)[];

/** The story of a conversation, with the messages of others that blocked its sends. */
export function collectStory(world: World, { key }: Conversation): Story {
	const happenings = world.history.all().filter(({ conversationKey }) => conversationKey === key);
	const blockers = new Set(
		happenings.map((happening) => (happening.type === "rejected" ? happening.blockedBy : undefined)),
	);
	const records = world.messages
		.all()
		.filter(({ conversation, message }) => conversation.key === key || blockers.has(message.messageId));
	return [...records, ...happenings].sort((left, right) => left.sequence - right.sequence);
}

/** The agents of a story. */
export function agentsOf(story: Story): string[] {
	const numbers = story.flatMap((thing) => {
		if ("message" in thing) return thing.message.outbound ? thing.message.from : thing.message.to;
		return "content" in thing ? thing.content.agentNumber : [];
	});
	return [...new Set(numbers)].filter((number) => number !== undefined);
}

/** The limit of consecutive messages before it was changed. */
export function firstLimit(story: Story, { counters }: Conversation): number {
	const limits = story.flatMap((thing) =>
		"message" in thing || thing.type !== "mapping_limit" ? [] : thing.before,
	);
	return limits[0] ?? counters.maxConsecutiveMessages;
}
