import type { Clock } from "../../library/runtime.ts";
import type { AgentRecord, AgentRegistry } from "./agents.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { ChangeSink } from "./change-sink.ts";
import type { Conversation } from "./records.ts";
import { RequestRejection } from "./request-rejection.ts";
import type { Sequence } from "./sequence.ts";
import type { GatewaySettings } from "./settings.ts";

/** `typingUntil` of an agent that types until it stops or sends: a time that never comes, but fits in JSON. */
export const UNTIL_STOPPED = Number.MAX_SAFE_INTEGER;

/** Who is on the other side of a chat. */
export interface Chat {
	readonly key: string;
	readonly groupId: string | null;
	readonly contacts: readonly string[];
}

/** What a new conversation depends on. */
interface ConversationTools {
	readonly settings: GatewaySettings;
	readonly clock: Clock;
	readonly sequence: Sequence;
}

/** Creates a conversation without keeping it. */
export function createConversation(
	tools: ConversationTools,
	chat: Chat,
	agent: AgentRecord,
	maxConsecutiveMessages = agent.maxConsecutiveMessages ?? tools.settings.rules.maxConsecutiveMessages,
): Conversation {
	const { agentNumber } = agent;
	const createdAt = tools.clock.now();
	const sequence = tools.sequence.next();
	return emptyConversation(tools, chat, { sequence, agentNumber, createdAt, maxConsecutiveMessages });
}

/** A conversation in which nothing has happened. */
export function emptyConversation(
	{ settings }: Pick<ConversationTools, "settings">,
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
		groupName: undefined,
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

/** A conversation that changed. */
export interface ConversationItem {
	readonly type: "conversation";
	readonly conversation: Conversation;
}

/** The conversations with contacts, which are the mappings, and with groups. */
export class Conversations {
	readonly #contacts: BoundedMap<string, Conversation>;
	readonly #groups: BoundedMap<string, Conversation>;
	readonly #groupsByMembers = new Map<string, Conversation>();
	readonly #agents: AgentRegistry;
	readonly #feed: ChangeSink<ConversationItem>;

	constructor(maxEntries: number, agents: AgentRegistry, feed: ChangeSink<ConversationItem>) {
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

	/** Finds the conversation of a contact's handle or a group's id. */
	findByKey(key: string): Conversation | undefined {
		return this.#contacts.get(key) ?? this.#groups.get(key);
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

	/** The group of exactly these contacts, in any order. */
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
	return JSON.stringify([...contacts].sort());
}
