import type { Agent } from "../../library/catalogue/agents.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { ChangeSink } from "./change-sink.ts";
import { RequestRejection } from "./request-rejection.ts";

/** An agent as the gateway keeps it. */
export interface AgentRecord {
	/** Its place in the order of registration. */
	readonly sequence: number;
	readonly agentNumber: string;
	readonly name: string | null;
	readonly createdAt: number;
	/** The threshold of its new mappings, if it was registered with one. */
	readonly maxConsecutiveMessages: number | undefined;
	/** Messages that wait for it to come online. */
	readonly waiting: (() => void)[];
	isOnline: boolean;
	isBlocked: boolean;
	blockedReason: string | null;
	mappingCount: number;
	lastSeenAt: number;
}

/** An agent that changed. */
export interface AgentItem {
	readonly type: "agent";
	readonly agent: AgentRecord;
}

/** The registered agents. */
export class AgentRegistry {
	readonly #agents: BoundedMap<string, AgentRecord>;
	readonly #feed: ChangeSink<AgentItem>;
	/** How many messages wait for an agent that is offline. */
	waitingCount = 0;

	constructor(maxEntries: number, feed: ChangeSink<AgentItem>) {
		this.#feed = feed;
		this.#agents = new BoundedMap(maxEntries, (agent) => feed.dropped({ type: "agent", agent }));
	}

	find(agentNumber: string): AgentRecord | undefined {
		return this.#agents.get(agentNumber);
	}

	get(agentNumber: string): AgentRecord {
		const agent = this.find(agentNumber);
		if (agent !== undefined) return agent;
		throw new RequestRejection(
			"AGENT_NOT_FOUND",
			"No agent has this number: register it first, or name it in the option agents.",
		);
	}

	/** An agent that may send. It may be offline: its messages wait. */
	getUnblocked(agentNumber: string): AgentRecord {
		const agent = this.get(agentNumber);
		if (!agent.isBlocked) return agent;
		throw new RequestRejection("AGENT_BLOCKED", "The agent is blocked: unblock it, or choose another one.");
	}

	/** The agent for a new contact: of those online and not blocked, the one with the fewest mappings. */
	choose(): AgentRecord {
		const chosen = this.#findLeastBusy(true);
		if (chosen !== undefined) return chosen;
		throw new RequestRejection(
			"NO_AGENT_AVAILABLE",
			"No unblocked agent is online: bring one online, unblock one, or register one.",
		);
	}

	/** The same, but if none is online, one that is offline, whose messages wait. */
	chooseOrWait(): AgentRecord {
		return this.#findLeastBusy(true) ?? this.#findLeastBusy(false) ?? this.choose();
	}

	#findLeastBusy(isOnline: boolean): AgentRecord | undefined {
		let found: AgentRecord | undefined;
		for (const agent of this.#agents.values()) {
			if (agent.isOnline !== isOnline || agent.isBlocked) continue;
			if (found === undefined || agent.mappingCount < found.mappingCount) found = agent;
		}
		return found;
	}

	add(
		fields: Pick<AgentRecord, "sequence" | "agentNumber" | "name" | "createdAt" | "maxConsecutiveMessages">,
	) {
		if (this.#agents.has(fields.agentNumber)) {
			throw new RequestRejection("AGENT_EXISTS", "An agent with this number is registered already.");
		}
		const agent: AgentRecord = {
			...fields,
			waiting: [],
			isOnline: true,
			isBlocked: false,
			blockedReason: null,
			mappingCount: 0,
			lastSeenAt: fields.createdAt,
		};
		this.keep(agent);
		return agent;
	}

	/** Adds an existing agent record, for example one of an earlier run. */
	keep(agent: AgentRecord): void {
		this.#agents.set(agent.agentNumber, agent);
		this.#changed(agent);
	}

	all(): AgentRecord[] {
		return [...this.#agents.values()];
	}

	countMapping(agentNumber: string, change: 1 | -1): void {
		const agent = this.find(agentNumber);
		if (agent === undefined) return;
		agent.mappingCount += change;
		this.#changed(agent);
	}

	setBlocked(agent: AgentRecord, isBlocked: boolean, reason: string | null): void {
		agent.isBlocked = isBlocked;
		agent.blockedReason = reason;
		this.#changed(agent);
	}

	/** Holds work of an offline agent until it is back online. */
	wait(agent: AgentRecord, work: () => void): void {
		agent.waiting.push(work);
		this.waitingCount++;
	}

	/** Takes an agent offline, or brings it back online and runs the work that waited for it. */
	setOnline(agentNumber: string, isOnline: boolean, now: number): void {
		const agent = this.get(agentNumber);
		agent.isOnline = isOnline;
		agent.lastSeenAt = now;
		this.#changed(agent);
		if (!isOnline) return;
		const waiting = agent.waiting.splice(0);
		this.waitingCount -= waiting.length;
		for (const work of waiting) work();
	}

	#changed(agent: AgentRecord): void {
		this.#feed.changed({ type: "agent", agent });
	}
}

/** The agent as the API shows it. */
export function toAgent(agent: AgentRecord): Agent {
	const { agentNumber, name, blockedReason, mappingCount, lastSeenAt, createdAt } = agent;
	const status = agent.isBlocked ? "blocked" : agent.isOnline ? "online" : "offline";
	return { agentNumber, name, status, blockedReason, mappingCount, lastSeenAt, createdAt };
}
