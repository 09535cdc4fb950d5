import type { Clock } from "../runtime.ts";
import type { EventStore } from "../stores/event-store.ts";

/** The promise's outcome, or a rejection once the time is over; what comes later is ignored. */
export function withTimeout<Value>(promise: Promise<Value>, timeoutMs: number, clock: Clock): Promise<Value> {
	return new Promise((resolve, reject) => {
		const cancel = clock.setTimer(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
		promise.then(resolve, reject).finally(cancel);
	});
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
