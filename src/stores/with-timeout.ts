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

/** A store each of whose calls is bounded in time, so that no delivery waits for it without end. */
export function boundStore(store: EventStore, timeoutMs: number, clock: Clock): Required<EventStore> {
	const limit = <Value>(answer: Promise<Value>) => withTimeout(answer, timeoutMs, clock);
	return {
		claim: (key, times) => limit(store.claim(key, times)),
		extend: (key, token, leaseMs) => limit(store.extend(key, token, leaseMs)),
		complete: (key, token, retentionMs) => limit(store.complete(key, token, retentionMs)),
		release: (key, token) => limit(store.release(key, token)),
		bind: (digest, eventId, ttlMs) => limit(store.bind?.(digest, eventId, ttlMs) ?? Promise.resolve(eventId)),
	};
}
