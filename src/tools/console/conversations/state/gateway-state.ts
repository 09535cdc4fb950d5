import type { Agent } from "../../../../library/catalogue/agents.ts";
import type { Change, ConversationView, MessageView, Snapshot } from "../../../control/contract.ts";
import type { GatewayClock } from "./clock.ts";

/** The gateway's state in the page. A map is replaced only when something in it changes. */
export interface GatewayState
	extends Omit<Snapshot, "now" | "offsetMs" | "agents" | "conversations" | "messages"> {
	readonly clock: GatewayClock;
	readonly agents: ReadonlyMap<string, Agent>;
	readonly conversations: ReadonlyMap<string, ConversationView>;
	/** The most recent ones of all conversations. */
	readonly messages: ReadonlyMap<string, MessageView>;
}

/** The maximum number of recent messages in the page, among which unseen ones are counted; the oldest are dropped. */
export const MAX_KEPT = 1_000;

/** Creates the state from a snapshot; `at` is its arrival on the page's monotonic clock. */
export function fromSnapshot(snapshot: Snapshot, at: number): GatewayState {
	const { now, offsetMs, agents, conversations, messages, ...facts } = snapshot;
	return {
		...facts,
		clock: { now, offsetMs, readAt: at },
		agents: new Map(agents.map((agent) => [agent.agentNumber, agent])),
		conversations: new Map(conversations.map((conversation) => [conversation.key, conversation])),
		messages: new Map(messages.map((message) => [message.messageId, message])),
	};
}

/** Applies changes in order. Each map is copied at most once. */
export function applyChanges(state: GatewayState, changes: readonly Change[], at: number): GatewayState {
	let next = state;
	let agents = draftOf(state.agents);
	let conversations = draftOf(state.conversations);
	let messages = draftOf(state.messages);
	for (const change of changes) {
		switch (change.type) {
			case "message": {
				const { message } = change;
				const [oldest] = messages.current().values();
				// Older than all in the page: it was dropped.
				if (oldest !== undefined && message.sequence < oldest.sequence) break;
				messages.write().set(message.messageId, message);
				const [first] = messages.current().keys();
				if (messages.current().size > MAX_KEPT && first !== undefined) messages.write().delete(first);
				break;
			}
			case "conversation":
				conversations.write().set(change.conversation.key, change.conversation);
				break;
			case "conversation_deleted":
				conversations.write().delete(change.key);
				break;
			case "agent":
				agents.write().set(change.agent.agentNumber, change.agent);
				break;
			case "destinations":
				next = { ...next, destinations: change.destinations };
				break;
			case "clock":
				next = { ...next, clock: { now: change.now, offsetMs: change.offsetMs, readAt: at } };
				break;
			case "faults":
				next = { ...next, faults: change.faults };
				break;
			case "rules":
				next = { ...next, areRulesOn: change.areOn };
				break;
			case "request":
			case "delivery":
				break;
			case "reset":
				next = fromSnapshot(change.snapshot, at);
				agents = draftOf(next.agents);
				conversations = draftOf(next.conversations);
				messages = draftOf(next.messages);
		}
	}
	return {
		...next,
		agents: agents.current(),
		conversations: conversations.current(),
		messages: messages.current(),
	};
}

/** A map that is copied on the first write, so an unchanged one keeps its identity. */
function draftOf<Item>(map: ReadonlyMap<string, Item>) {
	let copy: Map<string, Item> | undefined;
	return {
		current: (): ReadonlyMap<string, Item> => copy ?? map,
		write: (): Map<string, Item> => {
			copy ??= new Map(map);
			return copy;
		},
	};
}

export interface PageState {
	/** `null` until the first snapshot. */
	readonly gateway: GatewayState | null;
	readonly viewedKey: string | null;
	/** The `sequence` of the last seen message of each conversation. */
	readonly seen: ReadonlyMap<string, number>;
	/** The last `sequence` when the page opened; messages up to it count as seen. */
	readonly seenFromStart: number;
}

export type PageEvent =
	| { readonly type: "snapshot"; readonly snapshot: Snapshot; readonly at: number }
	| { readonly type: "changes"; readonly changes: readonly Change[]; readonly at: number }
	| { readonly type: "viewed"; readonly key: string | null };

export const EMPTY_PAGE: PageState = { gateway: null, viewedKey: null, seen: new Map(), seenFromStart: 0 };

export function reducePage(state: PageState, event: PageEvent): PageState {
	switch (event.type) {
		case "snapshot":
			return afterSnapshot(state, fromSnapshot(event.snapshot, event.at));
		case "changes":
			return state.gateway === null ? state : afterChanges(state, state.gateway, event);
		case "viewed":
			return markSeen({ ...state, viewedKey: event.key });
	}
}

export function countUnseen({ gateway, seen, seenFromStart }: PageState): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const { conversationKey, sequence } of gateway?.messages.values() ?? []) {
		if (sequence <= (seen.get(conversationKey) ?? seenFromStart)) continue;
		counts.set(conversationKey, (counts.get(conversationKey) ?? 0) + 1);
	}
	return counts;
}

/** The first snapshot counts as seen. After a reconnect the seen messages stay, unless the gateway was restarted. */
function afterSnapshot(state: PageState, gateway: GatewayState): PageState {
	const isNewGateway = state.gateway === null || lastSequence(gateway) < lastSequence(state.gateway);
	const seen = isNewGateway ? { seen: new Map(), seenFromStart: lastSequence(gateway) } : {};
	return markSeen({ ...state, ...seen, gateway });
}

function afterChanges(
	state: PageState,
	before: GatewayState,
	{ changes, at }: { readonly changes: readonly Change[]; readonly at: number },
): PageState {
	const gateway = applyChanges(before, changes, at);
	const isReset = changes.some(({ type }) => type === "reset");
	if (isReset) return afterSnapshot({ ...state, gateway: null }, gateway);
	return markSeen({ ...state, gateway });
}

function markSeen(state: PageState): PageState {
	const { gateway, viewedKey, seen } = state;
	if (gateway === null || viewedKey === null) return state;
	const last = lastSequence(gateway, viewedKey);
	if (last === 0 || seen.get(viewedKey) === last) return state;
	return { ...state, seen: new Map(seen).set(viewedKey, last) };
}

function lastSequence({ messages }: GatewayState, key?: string): number {
	let last = 0;
	for (const { sequence, conversationKey } of messages.values()) {
		if (sequence > last && (key === undefined || key === conversationKey)) last = sequence;
	}
	return last;
}
