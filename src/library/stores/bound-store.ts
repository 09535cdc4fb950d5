import type { Clock } from "../runtime.ts";
import type { TiedStep } from "./combined-step.ts";
import type { BoundClaim, ClaimResult, ClaimTimes, DeliveryBinding, EventStore } from "./event-store.ts";
import { releaseLate } from "./release-late.ts";
import { StoreError } from "./store-error.ts";
import { withTimeout } from "./with-timeout.ts";

/** Our own methods whose promises are settled when they return: no wait to limit, and no result to check. */
const immediate = /* @__PURE__ */ new WeakSet<object>();

/** Marks a store of which no method can hang, since each settles its promise before it returns. */
export function markImmediate<Store extends EventStore>(store: Store): Store {
	for (const method of Object.values(store)) immediate.add(method);
	return store;
}

/** Whether a store binds deliveries in the memory of this process. */
export function isInMemory({ bind }: EventStore): boolean {
	return bind !== undefined && immediate.has(bind);
}

/** Around a store of ours somebody may have put another `bind` or `claim`, which its combined step would pass by. */
function canCombine({ bindAndClaim, bind, claim }: EventStore): boolean {
	if (bindAndClaim === undefined || bind === undefined) return false;
	const { steps }: TiedStep = bindAndClaim;
	return steps === undefined || (steps.bind === bind && steps.claim === claim);
}

/** A store whose calls are bounded in time. */
export interface BoundStore extends Required<Omit<EventStore, "bindAndClaim">> {
	/** `undefined` if the store has no such step. */
	bindAndClaim(binding: DeliveryBinding, times: ClaimTimes): Promise<BoundClaim> | undefined;
}

/**
 * Wraps a store: a call rejects if it takes too long or its result is outside the contract. The methods of a
 * store in memory go without, since the timers would cost as much as the calls; a method that replaces one does not.
 */
export function boundStore(store: EventStore, timeoutMs: number, clock: Clock): BoundStore {
	/** The result of a method, once it is known to be in its contract. */
	function limit<Value>(
		name: keyof EventStore,
		returned: Promise<Value>,
		{ rule, holds }: Contract,
		onLate?: (value: Value) => void,
	): Promise<Value> {
		const method = store[name];
		if (method !== undefined && immediate.has(method)) return returned;
		const check = (value: Value): Value => {
			if (holds(value)) return value;
			throw new StoreError(`the store's ${name} must resolve to ${rule}`);
		};
		// Untyped code may return no promise.
		return withTimeout(Promise.resolve(returned), timeoutMs, clock, onLate).then(check);
	}

	return {
		claim: (key, times) =>
			limit("claim", store.claim(key, times), CLAIM_RESULT, (claim) => {
				if (isClaimResult(claim)) releaseLate(store, key, claim);
			}),
		extend: (key, token, leaseMs) => limit("extend", store.extend(key, token, leaseMs), BOOLEAN),
		complete: (key, token, retentionMs) =>
			limit("complete", store.complete(key, token, retentionMs), BOOLEAN),
		release: (key, token, options) => limit("release", store.release(key, token, options), BOOLEAN),
		bind: (digest, eventId, ttlMs) =>
			store.bind === undefined
				? Promise.resolve(eventId)
				: limit("bind", store.bind(digest, eventId, ttlMs), STRING),
		bindAndClaim(binding, times) {
			if (store.bindAndClaim === undefined || !canCombine(store)) return undefined;
			return limit("bindAndClaim", store.bindAndClaim(binding, times), BOUND_CLAIM, (found) => {
				if (isBoundClaim(found)) releaseLate(store, binding.keyPrefix + found.eventId, found.claim);
			});
		},
	};
}

/** What a method must resolve to: in words, and as a check. */
interface Contract {
	readonly rule: string;
	holds(value: unknown): boolean;
}

const CLAIM_RESULT: Contract = {
	rule: '{ status: "acquired", token, attempt }, { status: "in_flight", retryAfterMs } or { status: "done" }, with integers for token and attempt and a finite retryAfterMs',
	holds: isClaimResult,
};

const BOUND_CLAIM: Contract = {
	rule: "{ eventId, claim }, with the bound event id, a string, and what claim resolves to",
	holds: isBoundClaim,
};

const BOOLEAN: Contract = { rule: "a boolean", holds: (value) => typeof value === "boolean" };

const STRING: Contract = {
	rule: "the bound event id, a string",
	holds: (value) => typeof value === "string",
};

function isBoundClaim(value: unknown): value is BoundClaim {
	if (typeof value !== "object" || value === null) return false;
	const { eventId, claim } = value as Record<string, unknown>;
	return typeof eventId === "string" && isClaimResult(claim);
}

function isClaimResult(value: unknown): value is ClaimResult {
	if (typeof value !== "object" || value === null) return false;
	const { status, token, attempt, retryAfterMs } = value as Record<string, unknown>;
	if (status === "acquired")
		return Number.isSafeInteger(token) && Number.isSafeInteger(attempt) && Number(attempt) >= 1;
	return status === "done" || (status === "in_flight" && Number.isFinite(retryAfterMs));
}
