import type { Clock } from "../runtime.ts";
import type { ClaimResult, EventStore } from "./event-store.ts";
import { releaseLate } from "./release-late.ts";
import { withTimeout } from "./with-timeout.ts";

/** Methods that have their answer when they return: there is no wait to bound, and the answer is ours. */
const immediate = /* @__PURE__ */ new WeakSet<object>();

/** Notes that no method of a store can hang, since each has its answer when it returns. */
export function markImmediate<Store extends EventStore>(store: Store): Store {
	for (const method of Object.values(store)) immediate.add(method);
	return store;
}

/**
 * A store each of whose calls is bounded in time and keeps the contract, or rejects: somebody else's store may do
 * neither. For a store in memory the timers cost as much as its calls, so that its own methods go without; one that was
 * put in their place does not.
 */
export function boundStore(store: EventStore, timeoutMs: number, clock: Clock): Required<EventStore> {
	/** What a method returned, once it is known to be in its contract. */
	function limit<Value>(
		name: keyof EventStore,
		returned: Promise<Value>,
		isInContract: (value: unknown) => boolean,
		onLate?: (value: Value) => void,
	): Promise<Value> {
		const method = store[name];
		if (method !== undefined && immediate.has(method)) return returned;
		const check = (value: Value): Value => {
			if (isInContract(value)) return value;
			throw new Error(`the store's ${name} resolved to something that its contract does not have`);
		};
		// Code without types may return no promise.
		return withTimeout(Promise.resolve(returned), timeoutMs, clock, onLate).then(check);
	}

	return {
		claim: (key, times) =>
			limit("claim", store.claim(key, times), isClaimResult, (claim) => {
				if (isClaimResult(claim)) releaseLate(store, key, claim);
			}),
		extend: (key, token, leaseMs) => limit("extend", store.extend(key, token, leaseMs), isBoolean),
		complete: (key, token, retentionMs) =>
			limit("complete", store.complete(key, token, retentionMs), isBoolean),
		release: (key, token, options) => limit("release", store.release(key, token, options), isBoolean),
		bind: (digest, eventId, ttlMs) =>
			store.bind === undefined
				? Promise.resolve(eventId)
				: limit("bind", store.bind(digest, eventId, ttlMs), isText),
	};
}

function isClaimResult(value: unknown): value is ClaimResult {
	if (typeof value !== "object" || value === null) return false;
	const { status, token, attempt, retryAfterMs } = value as Record<string, unknown>;
	if (status === "acquired")
		return Number.isSafeInteger(token) && Number.isSafeInteger(attempt) && Number(attempt) >= 1;
	return status === "done" || (status === "in_flight" && Number.isFinite(retryAfterMs));
}

function isBoolean(value: unknown): boolean {
	return typeof value === "boolean";
}

function isText(value: unknown): boolean {
	return typeof value === "string";
}
