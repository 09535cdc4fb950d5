import type { Clock } from "../runtime.ts";
import { StoreError } from "./store-error.ts";
import { withTimeout } from "./with-timeout.ts";

/** What a method of a store must resolve to: in words, and as a check. */
export interface Contract {
	readonly rule: string;
	holds(value: unknown): boolean;
}

export const BOOLEAN: Contract = { rule: "true or false", holds: (value) => typeof value === "boolean" };

/** How long a store may take, whoever made it. */
export interface CallLimit {
	readonly storeTimeoutMs: number;
	readonly clock: Clock;
}

/** Our own methods whose promises are settled when they return: no wait to limit, and no result to check. */
const immediate = /* @__PURE__ */ new WeakSet<object>();

/** Marks a store in memory, of which no method can hang. A method that is put in the place of one is not marked. */
export function markImmediate<Store extends object>(store: Store): Store {
	for (const method of Object.values(store)) immediate.add(method);
	return store;
}

/** Whether a method is one of a store in memory. */
export function isImmediate(method: unknown): boolean {
	return typeof method === "function" && immediate.has(method);
}

/**
 * Calls a method of a store that may be anybody's: the only place that bounds such a call in time, and that checks what it
 * resolves to. Stores of this package have no limits of their own. A method of a store in memory goes without, since the
 * timer would cost as much as the call.
 * @param onLate - called with a value within the contract that comes after the time is over.
 * @throws StoreError if it takes too long or breaks its contract; otherwise what the method throws.
 */
export async function callStore<Store extends object, Value>(
	store: Store,
	name: keyof Store & string,
	call: () => Promise<Value>,
	{ rule, holds }: Contract,
	{ storeTimeoutMs, clock }: CallLimit,
	onLate?: (value: Value) => void,
): Promise<Value> {
	if (isImmediate(store[name])) return call();
	const late = onLate && ((value: Value): void => (holds(value) ? onLate(value) : undefined));
	// Untyped code may return no promise.
	const value = await withTimeout(Promise.resolve(call()), storeTimeoutMs, clock, late);
	if (holds(value)) return value;
	throw new StoreError(`its ${name} must resolve to ${rule}`);
}
