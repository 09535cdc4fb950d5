import type { Agent } from "../../../../library/catalogue/agents.ts";
import type { Change, ConversationView, MessageView, Snapshot } from "../../../control/contract.ts";
import type { GatewayClock } from "./clock.ts";
import { MapDraft } from "./map-draft.ts";

/** The gateway's state in the page. A map is replaced only when something in it changes. */
export interface GatewayState {
	readonly baseUrl: string;
	readonly appId: string;
	readonly clock: GatewayClock;
	readonly agents: ReadonlyMap<string, Agent>;
	readonly conversations: ReadonlyMap<string, ConversationView>;
	/** The most recent ones of all conversations. */
	readonly messages: ReadonlyMap<string, MessageView>;
	readonly destinations: Snapshot["destinations"];
	readonly faults: Snapshot["faults"];
	readonly consecutive: Snapshot["consecutive"];
	readonly limits: Snapshot["limits"];
	readonly operationIds: Snapshot["operationIds"];
}

/** The maximum number of recent messages in the page, among which unseen ones are counted; the oldest are dropped. */
export const MAX_KEPT = 1_000;

/** Creates the state from a snapshot; `at` is its arrival on the page's monotonic clock. */
export function fromSnapshot(snapshot: Snapshot, at: number): GatewayState {
	const { baseUrl, appId, destinations, faults, consecutive, limits, operationIds, now, offsetMs } = snapshot;
	return {
		baseUrl,
		appId,
		destinations,
		faults,
		consecutive,
		limits,
		operationIds,
		clock: { now, offsetMs, readAt: at },
		agents: byKey(snapshot.agents, ({ agentNumber }) => agentNumber),
		conversations: byKey(snapshot.conversations, ({ key }) => key),
		messages: byKey(snapshot.messages, ({ messageId }) => messageId),
	};
}

/** Applies changes in order. Each map is copied at most once. */
export function applyChanges(state: GatewayState, changes: readonly Change[], at: number): GatewayState {
	const draft = new Draft(state);
	for (const change of changes) draft.apply(change, at);
	return draft.finish();
}

/** A state that is being changed. */
class Draft {
	#state: GatewayState;
	readonly #agents: MapDraft<Agent>;
	readonly #conversations: MapDraft<ConversationView>;
	readonly #messages: MapDraft<MessageView>;

	constructor(state: GatewayState) {
		this.#state = state;
		this.#agents = new MapDraft(state.agents, Number.POSITIVE_INFINITY);
		this.#conversations = new MapDraft(state.conversations, Number.POSITIVE_INFINITY);
		this.#messages = new MapDraft(state.messages, MAX_KEPT);
	}

	apply(change: Change, at: number): void {
		switch (change.type) {
			case "message":
				this.#putMessage(change.message);
				break;
			case "conversation":
				this.#conversations.put(change.conversation.key, change.conversation);
				break;
			case "conversation_deleted":
				this.#conversations.delete(change.key);
				break;
			case "agent":
				this.#agents.put(change.agent.agentNumber, change.agent);
				break;
			case "destinations":
				this.#set({ destinations: change.destinations });
				break;
			case "clock":
				this.#set({ clock: { now: change.now, offsetMs: change.offsetMs, readAt: at } });
				break;
			case "faults":
				this.#set({ faults: change.faults });
				break;
			case "request":
			case "delivery":
				break;
			case "reset":
				this.#reset(fromSnapshot(change.snapshot, at));
		}
	}

	finish(): GatewayState {
		return {
			...this.#state,
			agents: this.#agents.map,
			conversations: this.#conversations.map,
			messages: this.#messages.map,
		};
	}

	/** Sets a message, unless it is older than all in the page. */
	#putMessage(message: MessageView): void {
		const [oldest] = this.#messages.map.values();
		if (oldest === undefined || message.sequence >= oldest.sequence) {
			this.#messages.put(message.messageId, message);
		}
	}

	#set(fields: Partial<GatewayState>): void {
		this.#state = { ...this.#state, ...fields };
	}

	#reset(state: GatewayState): void {
		this.#state = state;
		this.#agents.replace(state.agents);
		this.#conversations.replace(state.conversations);
		this.#messages.replace(state.messages);
	}
}

function byKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item> {
	return new Map(items.map((item) => [keyOf(item), item]));
}
