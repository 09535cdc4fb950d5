import { checkConsecutive } from "../../local-gateway/consecutive.ts";
import { emptyConversation } from "../../local-gateway/conversations.ts";
import { type Attempt, DuplicateWindows } from "../../local-gateway/duplicates.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import { RequestRejection } from "../../local-gateway/request-rejection.ts";
import { type Rules, resolveRules } from "../../local-gateway/settings.ts";
import type { World } from "../../local-gateway/world.ts";
import type { StoryEvent } from "./story.ts";

/** A story that has the same course under these rules. */
export interface Rehearsed {
	readonly events: readonly StoryEvent[];
	readonly rules: Rules;
}

const NO_RULES = resolveRules("off");

/**
 * Tries the rules on a story: an earlier run may have had others, and its beginning may be dropped. If an accepted
 * send would now be rejected, the test has no rules and no rejections. A rejected send that would now be accepted is
 * left out.
 */
export function rehearse(world: World, story: readonly StoryEvent[], conversation: Conversation): Rehearsed {
	const maxConsecutiveMessages = firstLimit(story) ?? conversation.counters.maxConsecutiveMessages;
	const rules = { ...world.settings.rules, maxConsecutiveMessages };
	const rehearsal = new Rehearsal(world, rules, conversation.key);
	const events: StoryEvent[] = [];
	for (const event of story) {
		const isAsBefore = rehearsal.play(event);
		if (isAsBefore) events.push(event);
		else if (event.type === "sent") {
			return { events: story.filter(({ type }) => type !== "rejected"), rules: NO_RULES };
		}
	}
	return { events, rules };
}

/** The limit before it was changed. */
function firstLimit(story: readonly StoryEvent[]): number | undefined {
	const change = story.find(({ type }) => type === "mapping_limit");
	return change?.type === "mapping_limit" ? change.before : undefined;
}

/** Applies the rules alone, without a gateway. */
class Rehearsal {
	readonly #world: World;
	readonly #rules: Rules;
	readonly #key: string;
	readonly #duplicates: DuplicateWindows;
	readonly #conversations = new Map<string, Conversation>();
	#lastWindowId = 0;

	constructor(world: World, rules: Rules, key: string) {
		this.#world = world;
		this.#rules = rules;
		this.#key = key;
		this.#duplicates = new DuplicateWindows(rules, world.settings.maxEntries);
	}

	/** @returns whether an event has the same result as before. */
	play(event: StoryEvent): boolean {
		switch (event.type) {
			case "sent":
				return this.#send(event.record, event.at);
			case "rejected": {
				const { signature, agentNumber = "" } = event.content;
				return this.#isRejected(this.#attempt(this.#key, { agentNumber, signature }), event.at);
			}
			case "wrote":
				this.#clear((...chat) => this.#duplicates.clearOnReply(...chat));
				return true;
			case "mapping_reset":
				this.#clear((...chat) => this.#duplicates.clear(...chat));
				return true;
			case "mapping_limit":
				this.#conversationOf(this.#key).counters.maxConsecutiveMessages = event.after;
				return true;
			case "mapping_deleted":
				this.#conversations.delete(this.#key);
				return true;
			default:
				return true;
		}
	}

	#send({ conversation, message, signature = "" }: MessageRecord, at: number): boolean {
		const attempt = this.#attempt(conversation.key, { agentNumber: message.from, signature });
		if (this.#isRejected(attempt, at)) return false;
		this.#duplicates.open(attempt, message.messageId, at);
		if (message.status === "failed") this.#duplicates.release(attempt, message.messageId);
		attempt.conversation.counters.consecutiveCount += 1;
		return true;
	}

	#isRejected(attempt: Attempt, at: number): boolean {
		try {
			this.#duplicates.check(attempt, at);
			checkConsecutive(attempt.conversation, this.#rules.consecutive, at);
			return false;
		} catch (error) {
			if (error instanceof RequestRejection) return true;
			throw error;
		}
	}

	#clear(clear: DuplicateWindows["clear"]): void {
		const conversation = this.#conversationOf(this.#key);
		conversation.counters.consecutiveCount = 0;
		clear(conversation, ++this.#lastWindowId);
	}

	#attempt(key: string, sent: Pick<Attempt, "agentNumber" | "signature">): Attempt {
		const conversation = this.#conversationOf(key);
		return { ...sent, conversation, windowId: conversation.windowId };
	}

	#conversationOf(key: string): Conversation {
		const known = this.#conversations.get(key);
		if (known !== undefined) return known;
		const { maxConsecutiveMessages } = this.#rules;
		const sequence = ++this.#lastWindowId;
		const fields = { sequence, agentNumber: "", createdAt: 0, maxConsecutiveMessages };
		const conversation = emptyConversation(this.#world, { key, groupId: null, contacts: [key] }, fields);
		this.#conversations.set(key, conversation);
		return conversation;
	}
}
