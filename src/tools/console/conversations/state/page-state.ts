import type { Change, Snapshot } from "../../../control/contract.ts";
import { applyChanges, fromSnapshot, type GatewayState } from "./gateway-state.ts";

/** The state of the page: the gateway, and what the user has seen. */
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

/** Counts the unseen messages of each conversation. */
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
