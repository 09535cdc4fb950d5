import {
	type Agent,
	type AgentData,
	type AgentsPage,
	type AssignAgentInput,
	assignAgent,
	type BlockReason,
	blockAgent,
	getAgent,
	type ListAgentsInput,
	listAgents,
	type ReassignAgentInput,
	type ReassignedData,
	type RegisterAgentInput,
	reassignAgent,
	registerAgent,
	unblockAgent,
} from "../../catalogue/agents.ts";
import type { MappingData } from "../../catalogue/mappings.ts";
import { callerOf } from "../bound-caller.ts";
import type { GatewayCall } from "../gateway-call.ts";
import type { ListCall } from "../list-call.ts";
import type { CallOptions } from "../options.ts";

/** Registers, assigns, blocks and inspects desktop agents. */
export class Agents {
	/**
	 * Registers a desktop agent.
	 * @throws ConflictError (`conflict`) if the number is registered already.
	 * @experimental
	 */
	register(input: RegisterAgentInput, options?: CallOptions): GatewayCall<AgentData> {
		return callerOf(this).call(registerAgent, input, options);
	}

	/**
	 * Lists the registered agents. Await it for a page, or iterate it for all of them.
	 * @experimental
	 */
	list(input: ListAgentsInput = {}, options?: CallOptions): ListCall<AgentsPage, Agent> {
		return callerOf(this).list(listAgents, input, (page) => page.agents, options);
	}

	/**
	 * Gets one agent.
	 * @throws NotFoundError (`not_found`) if the agent does not exist.
	 * @experimental
	 */
	get(agentNumber: string, options?: CallOptions): GatewayCall<AgentData> {
		return callerOf(this).call(getAgent, { agentNumber }, options);
	}

	/**
	 * Maps a user to an agent. Assigning the same agent again changes nothing.
	 * @throws NotFoundError (`not_found`) if the agent does not exist.
	 * @throws ConflictError (`conflict`) if another agent is assigned: use `reassign`.
	 * @experimental
	 */
	assign(input: AssignAgentInput, options?: CallOptions): GatewayCall<MappingData> {
		return callerOf(this).call(assignAgent, input, options);
	}

	/**
	 * Hands a user over to another agent. With `fromAgentNumber` it succeeds only while that agent is the current one,
	 * and the client never retries it.
	 * @throws NotFoundError (`not_found`) if the mapping or the agent does not exist.
	 * @throws ConflictError (`conflict`) if `fromAgentNumber` is not the current one.
	 * @experimental
	 */
	reassign(input: ReassignAgentInput, options?: CallOptions): GatewayCall<ReassignedData> {
		return callerOf(this).call(reassignAgent, input, options);
	}

	/**
	 * Keeps an agent from sending.
	 * @throws NotFoundError (`not_found`) if the agent does not exist.
	 * @experimental
	 */
	block(agentNumber: string, input: BlockReason = {}, options?: CallOptions): GatewayCall<AgentData> {
		return callerOf(this).call(blockAgent, { ...input, agentNumber }, options);
	}

	/**
	 * Lets a blocked agent send again.
	 * @throws NotFoundError (`not_found`) if the agent does not exist.
	 * @experimental
	 */
	unblock(agentNumber: string, options?: CallOptions): GatewayCall<AgentData> {
		return callerOf(this).call(unblockAgent, { agentNumber }, options);
	}
}
