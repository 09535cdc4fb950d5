import type { ClaimResult, EventStore } from "messaging-gateway/webhooks";

/** A store to be tested, and the way to let its time pass. */
export interface StoreUnderTest {
	readonly store: EventStore;
	/** Lets this many milliseconds pass for the store. */
	advance(ms: number): Promise<void>;
}

/** One rule that every event store follows. It needs no test framework: it rejects where the rule is broken. */
export interface EventStoreCase {
	readonly name: string;
	/** @param createStore - makes an empty store, or one in which the keys of earlier cases do not show. */
	run(createStore: () => Promise<StoreUnderTest> | StoreUnderTest): Promise<void>;
}

export const LEASE_MS = 60_000;
export const RETENTION_MS = 600_000;
const KEY = "default:evt_1";
const TIMES = { leaseMs: LEASE_MS, retentionMs: RETENTION_MS };

/** Throws where two results differ. */
export function same(actual: unknown, expected: unknown, what: string): void {
	const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
	if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}`);
}

/** Claims what must be free. */
export async function acquire(store: EventStore, key = KEY, times = TIMES) {
	const claim = await store.claim(key, times);
	if (claim.status !== "acquired") throw new Error(`${key} should be free, but it is ${claim.status}`);
	return claim;
}

/** What a claim of it finds. */
export async function look(store: EventStore, key = KEY): Promise<ClaimResult["status"]> {
	return (await store.claim(key, TIMES)).status;
}

/** All that a worker can try with its token, one after the other. */
async function tryAll({ store }: StoreUnderTest, token: number, key = KEY): Promise<boolean[]> {
	return [
		await store.complete(key, token, RETENTION_MS),
		await store.release(key, token),
		await store.extend(key, token, LEASE_MS),
	];
}

const NOTHING = [false, false, false];

/** Many claims at once, of which one must win; the winner's token. */
async function race(store: EventStore): Promise<number> {
	const claims = await Promise.all(Array.from({ length: 50 }, () => store.claim(KEY, TIMES)));
	const winners = claims.filter((claim) => claim.status === "acquired");
	same(winners.length, 1, "winners");
	same(claims.filter(({ status }) => status === "in_flight").length, 49, "the others are told to wait");
	return winners[0]?.token ?? Number.NaN;
}

function rule(name: string, check: (subject: StoreUnderTest) => Promise<void>): EventStoreCase {
	return { name, run: async (createStore) => check(await createStore()) };
}

/** The rules of a store: one processing per event, fenced by tokens. */
export const eventStoreCases: readonly EventStoreCase[] = [
	rule(
		"the first claim of an event is its first attempt, with a whole number as token",
		async ({ store }) => {
			const { token, attempt } = await acquire(store);
			same([Number.isSafeInteger(token), token >= 1, attempt], [true, true, 1], "token and attempt");
		},
	),
	rule("of many concurrent claims one wins", async ({ store }) => {
		await race(store);
	}),
	rule("of many concurrent claims of a lapsed lease one wins, with a larger token", async (subject) => {
		const { token } = await acquire(subject.store);
		await subject.advance(LEASE_MS + 1);
		const winner = await race(subject.store);
		same(winner > token, true, "the token grows");
		same(await tryAll(subject, token), NOTHING, "the stale worker");
	}),
	rule("of many concurrent claims of a released event one wins, with a larger token", async (subject) => {
		const { token } = await acquire(subject.store);
		await subject.store.release(KEY, token);
		same((await race(subject.store)) > token, true, "the token grows");
	}),
	rule("a held event tells how long its lease lasts", async ({ store, advance }) => {
		await acquire(store);
		await advance(LEASE_MS / 2);
		const claim = await store.claim(KEY, TIMES);
		const leftMs = claim.status === "in_flight" ? claim.retryAfterMs : Number.NaN;
		same(leftMs > 0 && leftMs <= LEASE_MS / 2, true, `${leftMs} ms are left`);
	}),
	rule("a lapsed lease makes the event claimable, as the next attempt", async ({ store, advance }) => {
		await acquire(store);
		await advance(LEASE_MS + 1);
		same((await acquire(store)).attempt, 2, "attempt");
	}),
	rule("a released event is claimable at once, as the next attempt", async ({ store }) => {
		const { token } = await acquire(store);
		same(await store.release(KEY, token), true, "release");
		same((await acquire(store)).attempt, 2, "attempt");
	}),
	rule("a completed event is done for everyone, also after the lease", async ({ store, advance }) => {
		const { token } = await acquire(store);
		same(await store.complete(KEY, token, RETENTION_MS), true, "complete");
		same(await look(store), "done", "at once");
		await advance(LEASE_MS + 1);
		same(await look(store), "done", "after the lease");
	}),
	rule("a token does nothing once its event is completed", async ({ store }) => {
		const { token } = await acquire(store);
		await store.complete(KEY, token, RETENTION_MS);
		same(await store.release(KEY, token), false, "release");
		same(await store.extend(KEY, token, LEASE_MS), false, "extend");
		same(await look(store), "done", "the event");
	}),
	rule("a token does nothing once its event is released", async (subject) => {
		const { token } = await acquire(subject.store);
		await subject.store.release(KEY, token);
		same(await tryAll(subject, token), NOTHING, "the released token");
		same((await acquire(subject.store)).attempt, 2, "the event is still free: attempt");
	}),
	rule("a stale token changes nothing of the next worker's lease", async (subject) => {
		const { store, advance } = subject;
		const { token: stale } = await acquire(store);
		await advance(LEASE_MS + 1);
		const { token } = await acquire(store);
		same(await tryAll(subject, stale), NOTHING, "the stale token");
		same(await look(store), "in_flight", "the event");
		await advance(LEASE_MS - 1_000);
		same(await store.extend(KEY, stale, LEASE_MS), false, "a late extension");
		await advance(1_001);
		same(await look(store), "acquired", "the lease ends when it should");
		same(await store.complete(KEY, token, RETENTION_MS), false, "the second token is stale by now");
	}),
	rule("a stale token changes nothing of what another worker completed", async (subject) => {
		const { store, advance } = subject;
		const { token: stale } = await acquire(store);
		await advance(LEASE_MS + 1);
		const { token } = await acquire(store);
		await store.complete(KEY, token, RETENTION_MS);
		same(await tryAll(subject, stale), NOTHING, "the stale token");
		same(await look(store), "done", "the event");
	}),
	rule("a token that nobody was given does nothing", async (subject) => {
		const { store } = subject;
		same(await tryAll(subject, 1), NOTHING, "an event that is not there");
		const { token, attempt } = await acquire(store);
		same(attempt, 1, "nothing was left behind: attempt");
		for (const other of [token + 1, token - 1, 0, -1])
			same(await tryAll(subject, other), NOTHING, `${other}`);
		same(await store.complete(KEY, token, RETENTION_MS), true, "the right token");
	}),
	rule("an extension counts from now, not from the lease's end", async ({ store, advance }) => {
		const { token } = await acquire(store);
		await advance(LEASE_MS / 2);
		same(await store.extend(KEY, token, LEASE_MS), true, "extend");
		await advance(LEASE_MS - 1_000);
		same(await look(store), "in_flight", "before the new end");
		await advance(1_001);
		same(await look(store), "acquired", "after the new end");
	}),
	rule("a lapsed lease that nobody took is still its worker's", async ({ store, advance }) => {
		const { token } = await acquire(store);
		await advance(LEASE_MS + 1);
		same(await store.extend(KEY, token, LEASE_MS), true, "extend");
		same(await look(store), "in_flight", "the event is held again");
		await advance(LEASE_MS + 1);
		same(await store.complete(KEY, token, RETENTION_MS), true, "complete");
	}),
	rule("of completing and releasing at the same time one counts", async ({ store }) => {
		const { token } = await acquire(store);
		const [isDone, isFree] = await Promise.all([
			store.complete(KEY, token, RETENTION_MS),
			store.release(KEY, token),
		]);
		same(isDone !== isFree, true, "one of them");
		same(await look(store), isDone ? "done" : "acquired", "the event");
	}),
	rule("tokens only grow, over release, lapse and reclaim", async ({ store, advance }) => {
		let last = 0;
		for (let round = 0; round < 20; round++) {
			const { token, attempt } = await acquire(store);
			same([token > last, attempt], [true, round + 1], `round ${round}, token ${token} after ${last}`);
			last = token;
			if (round % 3 === 0) await store.release(KEY, token);
			else await advance(LEASE_MS + 1);
			if (round % 5 === 4) await advance(RETENTION_MS - LEASE_MS - 1_000);
		}
	}),
	rule("a done event is forgotten when its retention is over, counted from its end", async (subject) => {
		const { store, advance } = subject;
		const { token } = await acquire(store);
		await advance(LEASE_MS / 2);
		await store.complete(KEY, token, RETENTION_MS);
		await advance(RETENTION_MS - 1_000);
		same(await look(store), "done", "before");
		await advance(1_001);
		same(await tryAll(subject, token), NOTHING, "its token");
		same((await acquire(store)).attempt, 1, "after: attempt");
	}),
	rule("an event that was never finished is forgotten with its retention", async ({ store, advance }) => {
		const { token } = await acquire(store);
		await store.release(KEY, token);
		await advance(RETENTION_MS + 1);
		same((await acquire(store)).attempt, 1, "attempt");
	}),
	rule("a held event is never forgotten, however long it is held", async ({ store, advance }) => {
		const { token } = await acquire(store);
		for (let heldMs = 0; heldMs <= RETENTION_MS; heldMs += LEASE_MS / 2) {
			same(await store.extend(KEY, token, LEASE_MS), true, `extend after ${heldMs} ms`);
			await advance(LEASE_MS / 2);
		}
		same(await look(store), "in_flight", "the event");
		same(await store.complete(KEY, token, RETENTION_MS), true, "complete");
	}),
	rule("consumers do not see each other's events, whatever the keys are", async (subject) => {
		const keys = [
			"a:evt_1",
			"b:evt_1",
			"a:evt_2",
			"a:EVT_1",
			"a:__proto__",
			"a:'\"\\{}*",
			`a:${"x".repeat(256)}`,
		];
		const tokens = new Map<string, number>();
		for (const key of keys) tokens.set(key, (await acquire(subject.store, key)).token);
		for (const key of keys.slice(0, -1)) {
			same(await subject.store.complete(key, tokens.get(key) ?? 0, RETENTION_MS), true, key);
		}
		same(await look(subject.store, keys.at(-1)), "in_flight", "the last one");
		same(await look(subject.store, keys[0]), "done", "the first one");
	}),
];
