import { systemClock } from "../../library/runtime.ts";
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

/** The longest that a call of the store may take: real time, whatever the store's own clock shows. */
const CALL_LIMIT_SECONDS = 30;

/** A case that checks one rule. */
export function rule<Store extends object>(
	name: string,
	check: (subject: StoreSubject<Store>) => Promise<void>,
): StoreCase<Store> {
	return {
		name,
		async run(createSubject) {
			const subject = await createSubject();
			const { loseRecords } = subject;
			await check({
				store: limitCalls(subject.store),
				advance: (ms) => subject.advance(ms),
				setClock: (ms) => subject.setClock?.(ms),
				...(loseRecords && { loseRecords: () => loseRecords.call(subject) }),
			});
		},
	};
}

/** The store, each of whose calls ends: a case would wait for ever, and say nothing. */
function limitCalls<Store extends object>(store: Store): Store {
	return new Proxy({} as Store, {
		get(_, name) {
			const member: unknown = Reflect.get(store, name);
			if (typeof member !== "function") return member;
			return (...given: unknown[]) => limitCall(String(name), Reflect.apply(member, store, given));
		},
	});
}

async function limitCall(name: string, call: unknown): Promise<unknown> {
	const { promise: silence, reject } = Promise.withResolvers<never>();
	const problem = `${name} did not settle within ${CALL_LIMIT_SECONDS} s: let it reject if the store is silent`;
	const cancel = systemClock.setTimer(() => reject(new Error(problem)), CALL_LIMIT_SECONDS * 1000);
	try {
		return await Promise.race([call, silence]);
	} finally {
		cancel();
	}
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
