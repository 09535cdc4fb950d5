import { MessagingGateway } from "messaging-gateway";
import { type AdjustableClock, createAdjustableClock } from "messaging-gateway/testing";
import type { Change, DeliveryView, RequestView, Snapshot } from "../../src/tools/control/contract.ts";
import type { GatewayControl } from "../../src/tools/control/create-control.ts";
import {
	type ControlledGateway,
	type ControlledGatewayOptions,
	createControlledGateway,
} from "../../src/tools/control/create-controlled-gateway.ts";

/** A controlled gateway with a frozen clock, a client of it, and its changes. */
export interface WatchedGateway extends ControlledGateway {
	readonly gateway: MessagingGateway;
	readonly clock: AdjustableClock;
	readonly changes: Change[];
	/** The state at first with every change applied to it, as a page knows the gateway. */
	known(): KnownState;
}

/** A snapshot, and the lists that come in pages. */
export interface KnownState extends Snapshot {
	readonly deliveries: readonly DeliveryView[];
	readonly requests: readonly RequestView[];
}

/** The state of a gateway with fewer than 500 deliveries and requests. */
export function stateOf(control: Pick<GatewayControl, "snapshot" | "deliveries" | "requests">): KnownState {
	const { items: deliveries } = control.deliveries({ limit: 500 });
	const { items: requests } = control.requests({ limit: 500 });
	return { ...control.snapshot(), deliveries, requests };
}

/** Creates a gateway and watches it from the start. */
export function createWatchedGateway(options: ControlledGatewayOptions = {}): WatchedGateway {
	const clock = createAdjustableClock({ frozen: true });
	return watch(createControlledGateway({ clock, deliverTo: () => new Response(), ...options }));
}

/** Watches a gateway from now on. */
export function watch({ local, control }: ControlledGateway): WatchedGateway {
	const first = stateOf(control);
	const changes: Change[] = [];
	control.subscribe((change) => changes.push(structuredClone(change)));
	return {
		local,
		control,
		clock: local.clock,
		changes,
		gateway: new MessagingGateway({ ...local.clientOptions, maxRetries: 0, logLevel: "off" }),
		known: () => changes.reduce(applyChange, first),
	};
}

/** A snapshot after a change, as the contract describes it. */
export function applyChange(snapshot: KnownState, change: Change): KnownState {
	const { agents, conversations, messages, deliveries, requests } = snapshot;
	switch (change.type) {
		case "agent":
			return { ...snapshot, agents: put(agents, change.agent, ({ agentNumber }) => agentNumber) };
		case "conversation":
			return { ...snapshot, conversations: put(conversations, change.conversation, ({ key }) => key) };
		case "conversation_deleted":
			return { ...snapshot, conversations: conversations.filter(({ key }) => key !== change.key) };
		case "message":
			return { ...snapshot, messages: put(messages, change.message, ({ messageId }) => messageId) };
		case "delivery":
			return { ...snapshot, deliveries: put(deliveries, change.delivery, ({ eventId }) => eventId) };
		case "destinations":
			return { ...snapshot, destinations: change.destinations };
		case "faults":
			return { ...snapshot, faults: change.faults };
		case "rules":
			return { ...snapshot, areRulesOn: change.areOn };
		case "clock":
			return { ...snapshot, now: change.now, offsetMs: change.offsetMs };
		case "request":
			return { ...snapshot, requests: put(requests, change.request, ({ requestId }) => requestId) };
		case "reset":
			return { ...change.snapshot, deliveries: [], requests: [] };
	}
}

function put<Item>(items: readonly Item[], item: Item, keyOf: (item: Item) => string): Item[] {
	const at = items.findIndex((other) => keyOf(other) === keyOf(item));
	return at === -1 ? [...items, item] : items.with(at, item);
}

/** A state without what changes by itself as time passes. */
export function timeless({ conversations, ...snapshot }: KnownState): object {
	const { now: _, offsetMs: __, ...rest } = snapshot;
	return {
		...rest,
		conversations: conversations.map(({ windows, typingUntil, ...conversation }) => ({
			...conversation,
			windows: windows.filter(({ endsAt }) => endsAt > snapshot.now),
			typingUntil: typingUntil !== null && typingUntil > snapshot.now ? typingUntil : null,
		})),
	};
}
