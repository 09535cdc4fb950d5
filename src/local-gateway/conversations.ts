import type { Mapping } from "../catalogue/mappings.ts";
import type { AgentRecord, Agents } from "./agents.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { ChangeSink } from "./change-feed.ts";
import type { AcceptedSend } from "./duplicates.ts";
import type { MessageRecord } from "./messages.ts";
import { RequestRejection } from "./request-rejection.ts";
import type { World } from "./world.ts";

/**
 * A chat with one contact or a group, and the counters of its mapping (specification, section 2.3). A group
 * counts like a contact, but the mapping operations show only contacts: they name a single number. Ours.
 */
export interface Conversation {
	readonly sequence: number;
	/** The contact's number, or the group's id. */
	readonly key: string;
	readonly groupId: string | null;
	/** The numbers on the other side. */
	readonly contacts: readonly string[];
	readonly chatGuid: string;
	readonly counters: Omit<Mapping, "agentNumber" | "userNumber" | "duplicate">;
	/** Messages that were sent natively and not read yet, by id. */
	readonly unread: Map<string, MessageRecord>;
	agentNumber: string;
	/** The agent before the last reassignment. */
	previousAgentNumber: string | undefined;
	/** Changes when the duplicate window of this chat is cleared, which makes earlier entries unreachable. */
	windowId: number;
	/** The last accepted message, while its duplicate window may be open. */
	lastAccepted: { readonly signature: string; readonly at: number; readonly messageId: string } | undefined;
	lastAttempt: LastAttempt | undefined;
	/** The last message that has an id on the native network. */
	lastSent: MessageRecord | undefined;
	/** When the last message was accepted or arrived, in Unix milliseconds. */
	lastMessageAt: number | null;
	/** Accepted messages whose duplicate windows may be open, the oldest first. */
	readonly opened: AcceptedSend[];
	/** When the agent stops typing; `null` when it is not typing. */
	typingUntil: number | null;
	/** The agent's last read receipt: the last `sequence` that it covers, and when it was given. */
	readUpTo: { readonly sequence: number; readonly at: number } | null;
}

/** The last send that was checked, and whether it was blocked as a duplicate. */
export interface LastAttempt {
	readonly signature: string;
	readonly agentNumber: string;
	readonly isDuplicate: boolean;
}

/** `typingUntil` of an agent that types until it stops or sends: a time that never comes, but fits in JSON. */
export const UNTIL_STOPPED = Number.MAX_SAFE_INTEGER;

/** Who is on the other side of a chat. */
export interface Chat {
	readonly key: string;
	readonly groupId: string | null;
	readonly contacts: readonly string[];
}

/** Creates a conversation without keeping it. */
export function createConversation(
	world: World,
	chat: Chat,
	agent: AgentRecord,
	maxConsecutiveMessages = agent.maxConsecutiveMessages ?? world.settings.rules.maxConsecutiveMessages,
): Conversation {
	const { agentNumber } = agent;
	const createdAt = world.clock.now();
	const sequence = world.sequence.next();
	return emptyConversation(world, chat, { sequence, agentNumber, createdAt, maxConsecutiveMessages });
}

/** A conversation in which nothing has happened. */
export function emptyConversation(
	{ settings }: World,
	{ key, groupId, contacts }: Chat,
	{ sequence, agentNumber, createdAt, maxConsecutiveMessages }: EmptyConversationFields,
): Conversation {
	return {
		key,
		groupId,
		contacts,
		sequence,
		chatGuid: `native;${groupId === null ? "-" : "+"};${key}`,
		agentNumber,
		counters: {
			createdAt,
			respondedAt: null,
			lastRespondedAt: null,
			receivedAt: null,
			lastReceivedAt: null,
			outbound: 0,
			inbound: 0,
			consecutiveCount: 0,
			lastWarningSentAt: null,
			maxConsecutiveMessages,
		},
		unread: new BoundedMap(settings.maxEntries),
		previousAgentNumber: undefined,
		windowId: sequence,
		lastAccepted: undefined,
		lastAttempt: undefined,
		lastSent: undefined,
		lastMessageAt: null,
		opened: [],
		typingUntil: null,
		readUpTo: null,
	};
}

interface EmptyConversationFields {
	readonly sequence: number;
	readonly agentNumber: string;
	readonly createdAt: number;
	readonly maxConsecutiveMessages: number;
}

/** The conversations with contacts, which are the mappings, and with groups. */
export class Conversations {
	readonly #contacts: BoundedMap<string, Conversation>;
	readonly #groups: BoundedMap<string, Conversation>;
	readonly #groupsByMembers = new Map<string, Conversation>();
	readonly #agents: Agents;
	readonly #feed: ChangeSink;

	constructor(maxEntries: number, agents: Agents, feed: ChangeSink) {
		this.#agents = agents;
		this.#feed = feed;
		this.#contacts = new BoundedMap(maxEntries, (conversation) => this.#afterRemoval(conversation));
		this.#groups = new BoundedMap(maxEntries, (conversation) => this.#afterRemoval(conversation));
	}

	/** Reports that a conversation changed, if it is kept. */
	changed(conversation: Conversation): void {
		if (this.find(conversation) === conversation) this.#feed.changed({ type: "conversation", conversation });
	}

	find(chat: { readonly key: string; readonly groupId: string | null }): Conversation | undefined {
		return chat.groupId === null ? this.#contacts.get(chat.key) : this.#groups.get(chat.key);
	}

	findContact(number: string): Conversation | undefined {
		return this.#contacts.get(number);
	}

	getContact(number: string): Conversation {
		const conversation = this.#contacts.get(number);
		if (conversation !== undefined) return conversation;
		throw new RequestRejection(
			"MAPPING_NOT_FOUND",
			"No agent is mapped to this number: create a mapping, or send first.",
		);
	}

	getGroup(groupId: string): Conversation {
		const conversation = this.#groups.get(groupId);
		if (conversation !== undefined) return conversation;
		throw new RequestRejection("GROUP_NOT_FOUND", "No group has this id: send to participants first.");
	}

	/** The group of exactly these numbers, in any order. */
	findGroupOf(contacts: readonly string[]): Conversation | undefined {
		return this.#groupsByMembers.get(membersKey(contacts));
	}

	/** Keeps a conversation, unless it is kept already. */
	keep(conversation: Conversation): void {
		if (this.find(conversation) === conversation) return;
		if (conversation.groupId === null) {
			this.#contacts.set(conversation.key, conversation);
			this.#agents.countMapping(conversation.agentNumber, 1);
		} else {
			this.#groups.set(conversation.key, conversation);
			this.#groupsByMembers.set(membersKey(conversation.contacts), conversation);
		}
		this.changed(conversation);
	}

	/** Assigns a contact to another agent. */
	reassign(conversation: Conversation, agentNumber: string): void {
		this.#agents.countMapping(conversation.agentNumber, -1);
		this.#agents.countMapping(agentNumber, 1);
		conversation.previousAgentNumber = conversation.agentNumber;
		conversation.agentNumber = agentNumber;
		this.changed(conversation);
	}

	delete(conversation: Conversation): void {
		if (this.#contacts.delete(conversation.key)) this.#afterRemoval(conversation);
	}

	contacts(): Conversation[] {
		return [...this.#contacts.values()];
	}

	/** Contacts and groups, the oldest first. */
	all(): Conversation[] {
		const all = [...this.#contacts.values(), ...this.#groups.values()];
		return all.sort((left, right) => left.sequence - right.sequence);
	}

	#afterRemoval(conversation: Conversation): void {
		if (conversation.groupId === null) this.#agents.countMapping(conversation.agentNumber, -1);
		else this.#groupsByMembers.delete(membersKey(conversation.contacts));
		this.#feed.dropped({ type: "conversation", conversation });
	}
}

function membersKey(contacts: readonly string[]): string {
	return [...contacts].sort().join(" ");
}
