import type { ClaimResult, ClaimTimes, EventStore } from "../../library/stores/event-store.ts";

/** A store to test, and the way to let its time pass. */
export interface StoreSubject<Store> {
	readonly store: Store;
	/** Lets this many milliseconds pass for the store. */
	advance(ms: number): Promise<void>;
	/**
	 * Sets the clock of the process forward by this many milliseconds, or back if they are negative. It lets no time
	 * pass. Without it, the rules about clocks move only the handler's. A store that only asks its server for the time
	 * needs none.
	 */
	setClock?(ms: number): void | Promise<void>;
	/**
	 * Loses every record and lets time pass, as a failover, a `FLUSHALL` or a restart of a store in memory may. Without
	 * it, the rules about lost records aren't tested.
	 */
	loseRecords?(): Promise<void>;
}

/** A store of events to be tested. */
export type EventStoreSubject = StoreSubject<EventStore>;

/** One rule that a store follows. It needs no test framework, and rejects if the rule is broken. */
export interface StoreCase<Store> {
	readonly name: string;
	/**
	 * Runs the case.
	 * @param createSubject - makes an empty store, or one in which the keys of other cases don't show.
	 */
	run(createSubject: () => Promise<StoreSubject<Store>> | StoreSubject<Store>): Promise<void>;
}

export function same(actual: unknown, expected: unknown, what: string): void {
	const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
	if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}`);
}

/** Claims what must be free. */
export async function acquire(store: EventStore, key: string, times: ClaimTimes) {
	const claim = await store.claim(key, times);
	if (claim.status !== "acquired") throw new Error(`${key} should be free, but it is ${claim.status}`);
	return claim;
}

export async function look(
	store: EventStore,
	key: string,
	times: ClaimTimes,
): Promise<ClaimResult["status"]> {
	return (await store.claim(key, times)).status;
}
