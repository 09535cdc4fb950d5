import * as z from "zod/mini";
import {
	agentPhoneNumber,
	contactHandle,
	identifier,
	newAgentPhoneNumber,
	type PageInput,
	pageFields,
} from "./input-fields.ts";
import { type Mapping, mappingData, mappingSchema, maxConsecutiveMessages } from "./mappings.ts";
import { type OperationDocs, operation } from "./operation.ts";
import { type OpenEnum, openEnum, receivedMilliseconds, schemaOf } from "./schema.ts";

const AGENT_STATUSES = ["online", "offline", "blocked"] as const;

/** The state of an agent. Unknown values pass through. */
export type AgentStatus = OpenEnum<(typeof AGENT_STATUSES)[number]>;

/** A registered desktop agent. */
export interface Agent {
	/** The agent's phone number. */
	agentNumber: string;
	/** A display name, or `null`. */
	name: string | null;
	/** Whether the agent can send now. */
	status: AgentStatus;
	/** Why the agent is blocked, or `null`. */
	blockedReason: string | null;
	/** How many contacts the agent handles. */
	mappingCount: number;
	/** When the agent was last seen, in Unix milliseconds, or `null`. */
	lastSeenAt: number | null;
	/** When the agent was registered, in Unix milliseconds. */
	createdAt: number;
}

const agentSchema = schemaOf<Agent>("Agent")(
	z.looseObject({
		agentNumber: z.string(),
		name: z.nullable(z.string()),
		status: openEnum(AGENT_STATUSES),
		blockedReason: z.nullable(z.string()),
		mappingCount: z.number(),
		lastSeenAt: z.nullable(receivedMilliseconds),
		createdAt: receivedMilliseconds,
	}),
);

/** The result of the operations on one agent. */
export interface AgentData {
	/** The agent. */
	agent: Agent;
}

const agentData = schemaOf<AgentData>("AgentData")(z.looseObject({ agent: agentSchema }));

/** An agent to register. */
export interface RegisterAgentInput {
	/** The agent's number. */
	agentNumber: string;
	/** A display name. */
	name?: string | undefined;
	/** The threshold for the agent's new mappings. */
	maxConsecutiveMessages?: number | undefined;
}

/** Selects the agents to list. */
export interface ListAgentsInput extends PageInput {
	/** Lists only agents in this status. */
	status?: AgentStatus | undefined;
}

/** A page of agents. */
export interface AgentsPage {
	/** The agents, in the order of their registration. */
	agents: Agent[];
	/** The start of the next page, or `null` after the last one. */
	nextCursor: string | null;
}

/** Names one agent. */
export interface AgentNumberInput {
	/** The agent's number. */
	agentNumber: string;
}

const agentNumberInput = schemaOf<AgentNumberInput>("AgentNumberInput")(
	z.strictObject({ agentNumber: agentPhoneNumber }),
);

/** Says why you block an agent. */
export interface BlockReason {
	/** A reason for people to read. */
	reason?: string | undefined;
}

/** Input of `agents.block`. */
export interface BlockAgentInput extends AgentNumberInput, BlockReason {}

/** A user to map to an agent. */
export interface AssignAgentInput {
	/** The agent's number. */
	agentNumber: string;
	/** The user: a number in E.164, an e-mail address, or a short code. */
	userNumber: string;
}

/** A user to hand over to another agent. */
export interface ReassignAgentInput {
	/** The user: a number in E.164, an e-mail address, or a short code. */
	userNumber: string;
	/** The number of the agent that takes over. */
	toAgentNumber: string;
	/**
	 * The number of the agent that you expect to be current. With it the client never retries the call, since the first
	 * attempt may change the agent.
	 */
	fromAgentNumber?: string | undefined;
}

/** The result of `agents.reassign`. */
export interface ReassignedData {
	/** The mapping after the change. */
	mapping: Mapping;
	/** The number of the agent before the change. */
	previousAgentNumber: string;
}

export const registerAgent = operation({
	id: "agents.register",
	method: "POST",
	path: "/agent",
	retry: "never",
	input: schemaOf<RegisterAgentInput>("RegisterAgentInput")(
		z.strictObject({
			agentNumber: newAgentPhoneNumber,
			name: z.optional(identifier),
			maxConsecutiveMessages: z.optional(maxConsecutiveMessages),
		}),
	),
	data: agentData,
	successStatus: 201,
});

export const listAgents = operation({
	id: "agents.list",
	method: "GET",
	path: "/agent",
	retry: "safe",
	input: schemaOf<ListAgentsInput>("ListAgentsInput")(
		z.strictObject({ status: z.optional(openEnum(AGENT_STATUSES)), ...pageFields }),
	),
	data: schemaOf<AgentsPage>("AgentsPage")(
		z.looseObject({ agents: z.array(agentSchema), nextCursor: z.nullable(z.string()) }),
	),
	pageItems: "agents",
});

export const getAgent = operation({
	id: "agents.get",
	method: "GET",
	path: "/agent/{agentNumber}",
	retry: "safe",
	input: agentNumberInput,
	data: agentData,
});

export const assignAgent = operation({
	id: "agents.assign",
	method: "POST",
	path: "/agent/assign",
	retry: "idempotent",
	input: schemaOf<AssignAgentInput>("AssignAgentInput")(
		z.strictObject({ agentNumber: agentPhoneNumber, userNumber: contactHandle }),
	),
	data: mappingData,
});

export const reassignAgent = operation({
	id: "agents.reassign",
	method: "POST",
	path: "/agent/reassign",
	retry: "idempotent",
	neverRetryWith: "fromAgentNumber",
	input: schemaOf<ReassignAgentInput>("ReassignAgentInput")(
		z.strictObject({
			userNumber: contactHandle,
			toAgentNumber: agentPhoneNumber,
			fromAgentNumber: z.optional(agentPhoneNumber),
		}),
	),
	data: schemaOf<ReassignedData>("ReassignedData")(
		z.looseObject({ mapping: mappingSchema, previousAgentNumber: z.string() }),
	),
});

export const blockAgent = operation({
	id: "agents.block",
	method: "POST",
	path: "/agent/{agentNumber}/block",
	retry: "idempotent",
	input: schemaOf<BlockAgentInput>("BlockAgentInput")(
		z.strictObject({ agentNumber: agentPhoneNumber, reason: z.optional(identifier) }),
	),
	data: agentData,
});

export const unblockAgent = operation({
	id: "agents.unblock",
	method: "POST",
	path: "/agent/{agentNumber}/unblock",
	retry: "idempotent",
	input: agentNumberInput,
	data: agentData,
});

export const agentDocs = {
	"agents.register": { summary: "Registers a desktop agent.", errors: ["AGENT_EXISTS"] },
	"agents.list": { summary: "The registered agents." },
	"agents.get": { summary: "One agent.", errors: ["AGENT_NOT_FOUND"] },
	"agents.assign": {
		summary: "Maps a user to an agent; assigning the same agent again changes nothing.",
		errors: ["AGENT_NOT_FOUND", "AGENT_BLOCKED", "MAPPING_EXISTS"],
	},
	"agents.reassign": {
		summary: "Hands a user to another agent.",
		errors: ["MAPPING_NOT_FOUND", "AGENT_NOT_FOUND", "AGENT_BLOCKED", "ASSIGNMENT_CONFLICT"],
	},
	"agents.block": { summary: "Keeps an agent from sending.", errors: ["AGENT_NOT_FOUND"] },
	"agents.unblock": { summary: "Lets a blocked agent send again.", errors: ["AGENT_NOT_FOUND"] },
} satisfies Record<string, OperationDocs>;
