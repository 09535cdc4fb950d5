import type { Agent } from "../../../catalogue/agents.ts";
import type {
	Change,
	ConversationView,
	DeliveryView,
	MessageView,
	Snapshot,
} from "../../../control/contract.ts";
import type { GatewayClock } from "./clock.ts";
import { MapDraft } from "./map-draft.ts";

/** The gateway's state in the page. A map is replaced only when something in it changes. */
export interface GatewayState {
	readonly baseUrl: string;
	readonly appId: string;
	readonly clock: GatewayClock;
	readonly agents: ReadonlyMap<string, Agent>;
	readonly conversations: ReadonlyMap<string, ConversationView>;
	readonly messages: ReadonlyMap<string, MessageView>;
	readonly deliveries: ReadonlyMap<string, DeliveryView>;
	readonly destinations: Snapshot["destinations"];
	readonly faults: Snapshot["faults"];
	readonly consecutive: Snapshot["consecutive"];
	readonly limits: Snapshot["limits"];
	/** The number of messages and deliveries of each conversation that are too old for the page. */
	readonly older: Snapshot["older"];
}

/** The maximum number of messages, and of deliveries, in the page; the oldest are dropped. */
export const MAX_KEPT = 1_000;

/** Creates the state from a snapshot; `at` is its arrival on the page's monotonic clock. */
export function fromSnapshot(snapshot: Snapshot, at: number): GatewayState {
	const { baseUrl, appId, destinations, faults, consecutive, limits, older, now, offsetMs } = snapshot;
	return {
		baseUrl,
		appId,
		destinations,
		faults,
		consecutive,
		limits,
		older,
		clock: { now, offsetMs, readAt: at },
		agents: byKey(snapshot.agents, ({ agentNumber }) => agentNumber),
		conversations: byKey(snapshot.conversations, ({ key }) => key),
		messages: byKey(snapshot.messages, ({ messageId }) => messageId),
		deliveries: byKey(snapshot.deliveries, ({ eventId }) => eventId),
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
	readonly #deliveries: MapDraft<DeliveryView>;

	constructor(state: GatewayState) {
		this.#state = state;
		this.#agents = new MapDraft(state.agents, Number.POSITIVE_INFINITY);
		this.#conversations = new MapDraft(state.conversations, Number.POSITIVE_INFINITY);
		this.#messages = new MapDraft(state.messages, MAX_KEPT);
		this.#deliveries = new MapDraft(state.deliveries, MAX_KEPT);
	}

	apply(change: Change, at: number): void {
		switch (change.type) {
			case "message":
				this.#put("messages", this.#messages, change.message.messageId, change.message);
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
			case "delivery":
				this.#put("deliveries", this.#deliveries, change.delivery.eventId, change.delivery);
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
			deliveries: this.#deliveries.map,
		};
	}

	/** Sets a message or a delivery, unless it is older than all in the page. */
	#put<Item extends MessageView | DeliveryView>(
		kind: keyof Snapshot["older"],
		draft: MapDraft<Item>,
		key: string,
		item: Item,
	): void {
		const [oldest] = draft.map.values();
		if (oldest !== undefined && item.sequence < oldest.sequence) return;
		const gone = draft.put(key, item);
		if (gone === undefined) return;
		const { older } = this.#state;
		const counts = { ...older[kind] };
		counts[gone.conversationKey] = (counts[gone.conversationKey] ?? 0) + 1;
		this.#set({ older: { ...older, [kind]: counts } });
	}

	#set(fields: Partial<GatewayState>): void {
		this.#state = { ...this.#state, ...fields };
	}

	#reset(state: GatewayState): void {
		this.#state = state;
		this.#agents.replace(state.agents);
		this.#conversations.replace(state.conversations);
		this.#messages.replace(state.messages);
		this.#deliveries.replace(state.deliveries);
	}
}

function byKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item> {
	return new Map(items.map((item) => [keyOf(item), item]));
}
