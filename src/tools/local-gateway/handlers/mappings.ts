import type { Mapping } from "../../../library/catalogue/mappings.ts";
import type { AgentRecord } from "../agents.ts";
import { createConversation } from "../conversations.ts";
import { paginate } from "../pages.ts";
import type { Conversation } from "../records.ts";
import { RequestRejection } from "../request-rejection.ts";
import type { Handlers } from "../run-operation.ts";
import type { World } from "../world.ts";

export function mappingHandlers(world: World) {
	const { agents, conversations, duplicates } = world;
	return {
		"mappings.get": ({ toNumber }) => ({ mapping: toMapping(world, conversations.getContact(toNumber)) }),
		"mappings.list": ({ agentNumber, ...page }) => {
			const { items, nextCursor } = paginate(contactsOf(world, agentNumber), page, "newest_first");
			return { mappings: items.map((item) => toMapping(world, item)), nextCursor };
		},
		"mappings.create": ({ userNumber, agentNumber, maxConsecutiveMessages }) => {
			if (conversations.findContact(userNumber) !== undefined) {
				throw new RequestRejection("MAPPING_EXISTS", "The number is mapped already: update or reassign it.");
			}
			const agent = agentNumber === undefined ? agents.choose() : agents.getUnblocked(agentNumber);
			return { mapping: toMapping(world, addMapping(world, userNumber, agent, maxConsecutiveMessages)) };
		},
		"mappings.update": ({ toNumber, maxConsecutiveMessages }) => {
			const conversation = conversations.getContact(toNumber);
			conversation.counters.maxConsecutiveMessages = maxConsecutiveMessages;
			conversations.changed(conversation);
			return { mapping: toMapping(world, conversation) };
		},
		"mappings.reset": ({ toNumber }) => {
			const conversation = conversations.getContact(toNumber);
			conversation.counters.consecutiveCount = 0;
			duplicates.clear(conversation, world.sequence.next());
			conversations.changed(conversation);
			return { mapping: toMapping(world, conversation) };
		},
		"mappings.delete": ({ toNumber }) => {
			conversations.delete(conversations.getContact(toNumber));
			return { deleted: true };
		},
	} satisfies Partial<Handlers>;
}

/** Maps a contact that has no mapping yet. */
export function addMapping(
	world: World,
	userNumber: string,
	agent: AgentRecord,
	maxConsecutiveMessages?: number,
): Conversation {
	const chat = { key: userNumber, groupId: null, contacts: [userNumber] };
	const conversation = createConversation(world, chat, agent, maxConsecutiveMessages);
	world.conversations.keep(conversation);
	return conversation;
}

/** The mappings of one agent, or of all, the oldest first. */
export function contactsOf({ conversations }: World, agentNumber: string | undefined): Conversation[] {
	const all = conversations.contacts();
	return agentNumber === undefined ? all : all.filter((contact) => contact.agentNumber === agentNumber);
}

/** The mapping as the API shows it (specification, section 2.3, which does not show the timestamps' unit). */
export function toMapping({ duplicates, clock, settings }: World, conversation: Conversation): Mapping {
	const { agentNumber, key, counters } = conversation;
	const duplicate = duplicates.describe(conversation, clock.now());
	const inUnit = (ms: number | null): number | null =>
		ms === null || settings.mappingTimestamps === "milliseconds" ? ms : ms / 1000;
	return {
		agentNumber,
		userNumber: key,
		...counters,
		createdAt: inUnit(counters.createdAt),
		respondedAt: inUnit(counters.respondedAt),
		lastRespondedAt: inUnit(counters.lastRespondedAt),
		receivedAt: inUnit(counters.receivedAt),
		lastReceivedAt: inUnit(counters.lastReceivedAt),
		lastWarningSentAt: inUnit(counters.lastWarningSentAt),
		...(duplicate === undefined ? {} : { duplicate }),
	};
}
