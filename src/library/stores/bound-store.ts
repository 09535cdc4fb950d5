import { BOOLEAN, type CallLimit, type Contract, callStore, isImmediate } from "../store-calls/call-store.ts";
import type { ClaimResult, EventStore } from "./event-store.ts";
import { releaseLate } from "./release-late.ts";

/** Whether a store keeps its claims in the memory of this process. */
export function isInMemory({ claim }: EventStore): boolean {
	return isImmediate(claim);
}

/** Wraps a store: each call is bounded in time, and its result checked. */
export function boundStore(store: EventStore, limit: CallLimit): EventStore {
	function call<Value>(
		name: keyof EventStore,
		run: () => Promise<Value>,
		contract: Contract,
		onLate?: (value: Value) => void,
	): Promise<Value> {
		return callStore(store, name, run, contract, limit, onLate);
	}

	return {
		claim: (key, times, binding) =>
			call(
				"claim",
				() => store.claim(key, times, binding),
				CLAIM_RESULT,
				// Nobody works on the event of a claim that comes too late.
				(claim) => releaseLate(store, claim.boundKey ?? key, claim),
			),
		extend: (...given) => call("extend", () => store.extend(...given), BOOLEAN),
		complete: (...given) => call("complete", () => store.complete(...given), BOOLEAN),
		release: (...given) => call("release", () => store.release(...given), BOOLEAN),
	};
}

const CLAIM_RESULT: Contract = {
	rule: '{ status: "acquired", token, attempt }, { status: "in_flight", retryAfterMs } or { status: "done" }, with integers for token and attempt, a finite retryAfterMs, and for a bound delivery boundKey, a string',
	holds: isClaimResult,
};

function isClaimResult(value: unknown): value is ClaimResult {
	if (typeof value !== "object" || value === null) return false;
	const { status, token, attempt, retryAfterMs, boundKey } = value as Record<string, unknown>;
	if (boundKey !== undefined && typeof boundKey !== "string") return false;
	if (status === "acquired")
		return Number.isSafeInteger(token) && Number.isSafeInteger(attempt) && Number(attempt) >= 1;
	return status === "done" || (status === "in_flight" && Number.isFinite(retryAfterMs));
}
