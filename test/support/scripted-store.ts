import type { EventStore } from "messaging-gateway/webhooks";

export type StoreMethod = keyof EventStore;

/**
 * How a call of the store fails: `throw` at once, `reject`, `hang` for ever, or `lose` the response of a call that took
 * effect.
 */
export type Fault = "throw" | "reject" | "hang" | "lose";

export interface ScriptedStore {
	readonly store: EventStore;
	/** The methods called so far, in order. */
	readonly calls: StoreMethod[];
	/** Makes the next calls of a method fail; all of them without `times`. */
	fail(method: StoreMethod, fault: Fault, times?: number): void;
	/** From now on the store works. */
	heal(): void;
}

/** A store that works until a test makes it fail. */
export function scriptStore(inner: EventStore): ScriptedStore {
	const calls: StoreMethod[] = [];
	const faults = new Map<StoreMethod, { fault: Fault; times: number }>();

	function nextFault(method: StoreMethod): Fault | undefined {
		calls.push(method);
		const script = faults.get(method);
		if (script === undefined || script.times === 0) return undefined;
		script.times--;
		return script.fault;
	}

	function play<Value>(method: StoreMethod, act: () => Promise<Value>): Promise<Value> {
		const broken = new Error(`the store's ${method} failed`);
		switch (nextFault(method)) {
			case undefined:
				return act();
			case "throw":
				throw broken;
			case "reject":
				return Promise.reject(broken);
			case "hang":
				return new Promise(() => undefined);
			case "lose":
				return act().then(() => Promise.reject(broken));
		}
	}

	return {
		calls,
		store: {
			claim: (...given) => play("claim", () => inner.claim(...given)),
			extend: (key, token, leaseMs) => play("extend", () => inner.extend(key, token, leaseMs)),
			complete: (key, token, retentionMs) => play("complete", () => inner.complete(key, token, retentionMs)),
			release: (...given) => play("release", () => inner.release(...given)),
		},
		fail(method, fault, times = Number.POSITIVE_INFINITY) {
			faults.set(method, { fault, times });
		},
		heal: () => faults.clear(),
	};
}
