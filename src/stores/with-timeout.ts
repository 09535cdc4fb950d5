import { ConfigurationError } from "../errors.ts";
import { type Clock, systemClock } from "../runtime.ts";
import type { EventStore } from "./event-store.ts";

/** The longest that a store waits for its server. */
export const DEFAULT_TIMEOUT_MS = 5_000;

/** The promise's outcome, or a rejection once the time is over; what comes later is ignored. */
export function withTimeout<Value>(
	promise: Promise<Value>,
	timeoutMs: number,
	clock: Clock = systemClock,
): Promise<Value> {
	return new Promise((resolve, reject) => {
		const cancel = clock.setTimer(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
		// One promise less than `finally` makes, at each of a delivery's calls.
		promise.then(
			(value) => {
				cancel();
				resolve(value);
			},
			(error: unknown) => {
				cancel();
				reject(error);
			},
		);
	});
}

/** Refuses what would not bound a wait. */
export function assertDuration(name: string, value: number): void {
	if (!(Number.isFinite(value) && value > 0))
		throw new ConfigurationError(`${name} must be a number above 0`);
}

/** Methods that have their answer when they return: there is no wait to bound. */
const immediate = /* @__PURE__ */ new WeakSet<object>();

/** Notes that no method of a store can hang, since each has its answer when it returns. */
export function markImmediate<Store extends EventStore>(store: Store): Store {
	for (const method of Object.values(store)) immediate.add(method);
	return store;
}

/**
 * A store each of whose calls is bounded in time, so that no delivery waits for it without end. For a store in memory
 * the timers cost as much as its calls, so that its own methods go without; one that was put in their place does not.
 */
export function boundStore(store: EventStore, timeoutMs: number, clock: Clock): Required<EventStore> {
	const limit = <Value>(method: object, answer: Promise<Value>): Promise<Value> =>
		immediate.has(method) ? answer : withTimeout(answer, timeoutMs, clock);
	return {
		claim: (key, times) => limit(store.claim, store.claim(key, times)),
		extend: (key, token, leaseMs) => limit(store.extend, store.extend(key, token, leaseMs)),
		complete: (key, token, retentionMs) => limit(store.complete, store.complete(key, token, retentionMs)),
		release: (key, token) => limit(store.release, store.release(key, token)),
		bind: (digest, eventId, ttlMs) =>
			store.bind === undefined
				? Promise.resolve(eventId)
				: limit(store.bind, store.bind(digest, eventId, ttlMs)),
	};
}
