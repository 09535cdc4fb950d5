import { toAgent } from "../agents.ts";
import { paginate } from "../pages.ts";
import { RequestRejection } from "../request-rejection.ts";
import type { Handlers } from "../run-operation.ts";
import type { World } from "../world.ts";
import { addMapping, toMapping } from "./mappings.ts";

export function agentHandlers(world: World) {
	const { agents, conversations, clock, sequence } = world;
	return {
		"agents.register": ({ agentNumber, name = null, maxConsecutiveMessages }) => {
			const agent = agents.add({
				sequence: sequence.next(),
				agentNumber,
				name,
				createdAt: clock.now(),
				maxConsecutiveMessages,
			});
			return { agent: toAgent(agent) };
		},
		"agents.list": ({ status, ...page }) => {
			const fitting = agents
				.all()
				.filter((agent) => status === undefined || toAgent(agent).status === status);
			const { items, nextCursor } = paginate(fitting, page, "oldest_first");
			return { agents: items.map(toAgent), nextCursor };
		},
		"agents.get": ({ agentNumber }) => ({ agent: toAgent(agents.get(agentNumber)) }),
		"agents.assign": ({ agentNumber, userNumber }) => {
			const known = conversations.findContact(userNumber);
			if (known?.agentNumber === agentNumber) return { mapping: toMapping(world, known) };
			const agent = agents.getUnblocked(agentNumber);
			if (known !== undefined) {
				throw new RequestRejection("MAPPING_EXISTS", "Another agent handles this number: reassign it.");
			}
			return { mapping: toMapping(world, addMapping(world, userNumber, agent)) };
		},
		"agents.reassign": ({ userNumber, toAgentNumber, fromAgentNumber }) => {
			const conversation = conversations.getContact(userNumber);
			agents.getUnblocked(toAgentNumber);
			if (fromAgentNumber !== undefined && fromAgentNumber !== conversation.agentNumber) {
				throw new RequestRejection("ASSIGNMENT_CONFLICT", "fromAgentNumber isn't the agent of this number.");
			}
			// A repeated call has the same result: nothing moves, and the previous agent stays the same.
			if (conversation.agentNumber !== toAgentNumber) conversations.reassign(conversation, toAgentNumber);
			const previousAgentNumber = conversation.previousAgentNumber ?? toAgentNumber;
			return { mapping: toMapping(world, conversation), previousAgentNumber };
		},
		"agents.block": ({ agentNumber, reason = null }) => {
			const agent = agents.get(agentNumber);
			agents.setBlocked(agent, true, reason);
			return { agent: toAgent(agent) };
		},
		"agents.unblock": ({ agentNumber }) => {
			const agent = agents.get(agentNumber);
			agents.setBlocked(agent, false, null);
			return { agent: toAgent(agent) };
		},
	} satisfies Partial<Handlers>;
}
