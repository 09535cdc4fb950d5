import type { EventStore } from "../../library/stores/event-store.ts";
import { bindingCases } from "./binding-cases.ts";
import { bindingClockCases } from "./clock-cases.ts";
import { contractCases } from "./contract-cases.ts";
import { acquire, type EventStoreSubject, look, rule, type StoreCase, same } from "./store-case.ts";

/** How long leases and records last in the cases. A store whose clock you can't move needs short ones. */
export interface EventStoreCaseTimes {
	/** How long a claim holds, in milliseconds. @default 60_000 */
	leaseMs?: number | undefined;
	/** How long a record is kept, in milliseconds: at least three times the lease. @default 600_000 */
	retentionMs?: number | undefined;
}

const KEY = "default:evt_1";
const NOTHING = [false, false, false];

/**
 * Returns test cases for an event store that you write. They check one processing per event, fenced by tokens, and
 * deliveries that stay bound to the first key that came with them, even if the clocks of processes differ.
 *
 * @example
 * ```ts
 * for (const { name, run } of eventStoreCases()) {
 *   test(name, () => run(() => ({ store: myStore(), advance: (ms) => clock.advance(ms) })));
 * }
 * ```
 */
export function eventStoreCases(times: EventStoreCaseTimes = {}): readonly StoreCase<EventStore>[] {
	const { leaseMs = 60_000, retentionMs = 600_000 } = times;
	const claimTimes = { leaseMs, retentionMs };
	/** With real time, no step happens exactly on time. */
	const marginMs = leaseMs / 5;
	const hold = (store: EventStore, key = KEY) => acquire(store, key, claimTimes);
	const see = (store: EventStore, key = KEY) => look(store, key, claimTimes);

	/** All that a worker can try with its token, one after the other. */
	const tryAll = async ({ store }: EventStoreSubject, token: number): Promise<boolean[]> => [
		await store.complete(KEY, token, retentionMs),
		await store.release(KEY, token),
		await store.extend(KEY, token, leaseMs),
	];

	/** Many claims at once, of which one must win; the winner's token. */
	const race = async (store: EventStore): Promise<number> => {
		const claims = await Promise.all(Array.from({ length: 50 }, () => store.claim(KEY, claimTimes)));
		const winners = claims.filter((claim) => claim.status === "acquired");
		same(winners.length, 1, "winners");
		same(claims.filter(({ status }) => status === "in_flight").length, 49, "the others find it in flight");
		return winners[0]?.token ?? Number.NaN;
	};

	return [
		rule("the first claim of an event is its first attempt, with an integer as token", async ({ store }) => {
			const { token, attempt } = await hold(store);
			same([Number.isSafeInteger(token), token >= 1, attempt], [true, true, 1], "token and attempt");
		}),
		rule("of many concurrent claims one wins", async ({ store }) => {
			await race(store);
		}),
		rule("of many concurrent claims of a lapsed lease one wins, with a larger token", async (subject) => {
			const { token } = await hold(subject.store);
			await subject.advance(leaseMs + 1);
			const winner = await race(subject.store);
			same(winner > token, true, "the token grows");
			same(await tryAll(subject, token), NOTHING, "the stale worker");
		}),
		rule("of many concurrent claims of a released event one wins, with a larger token", async (subject) => {
			const { token } = await hold(subject.store);
			await subject.store.release(KEY, token);
			same((await race(subject.store)) > token, true, "the token grows");
		}),
		rule("a claim of a held event returns how long its lease lasts", async ({ store, advance }) => {
			await hold(store);
			await advance(leaseMs / 2);
			const claim = await store.claim(KEY, claimTimes);
			const leftMs = claim.status === "in_flight" ? claim.retryAfterMs : Number.NaN;
			same(leftMs > 0 && leftMs <= leaseMs / 2, true, `${leftMs} ms are left`);
		}),
		rule("a lapsed lease makes the event claimable, as the next attempt", async ({ store, advance }) => {
			await hold(store);
			await advance(leaseMs + 1);
			same((await hold(store)).attempt, 2, "attempt");
		}),
		rule("a released event is claimable at once, as the next attempt", async ({ store }) => {
			const { token } = await hold(store);
			same(await store.release(KEY, token), true, "release");
			same((await hold(store)).attempt, 2, "attempt");
		}),
		rule("a completed event is done for everyone, also after the lease", async ({ store, advance }) => {
			const { token } = await hold(store);
			same(await store.complete(KEY, token, retentionMs), true, "complete");
			same(await see(store), "done", "at once");
			await advance(leaseMs + 1);
			same(await see(store), "done", "after the lease");
		}),
		rule("a token does nothing once its event is completed", async ({ store }) => {
			const { token } = await hold(store);
			await store.complete(KEY, token, retentionMs);
			same(await store.release(KEY, token), false, "release");
			same(await store.extend(KEY, token, leaseMs), false, "extend");
			same(await see(store), "done", "the event");
		}),
		rule(
			"an event may be completed twice with one token, since the response may be lost",
			async (subject) => {
				const { store, advance } = subject;
				const { token } = await hold(store);
				same(await store.complete(KEY, token, retentionMs), true, "at first");
				await advance(leaseMs + 1);
				same(await store.complete(KEY, token, retentionMs), true, "again");
				same(await store.complete(KEY, token - 1, retentionMs), false, "with another token");
			},
		),
		rule("durations in milliseconds need not be integers", async ({ store, advance }) => {
			const { token } = await acquire(store, KEY, {
				leaseMs: leaseMs + 0.5,
				retentionMs: retentionMs + 0.25,
			});
			same(await store.extend(KEY, token, leaseMs + 0.1), true, "extend");
			await advance(leaseMs - marginMs);
			same(await see(store), "in_flight", "the event");
			same(await store.complete(KEY, token, retentionMs + 0.1), true, "complete");
			same(await see(store), "done", "the event");
		}),
		rule("a token does nothing once its event is released", async (subject) => {
			const { token } = await hold(subject.store);
			await subject.store.release(KEY, token);
			same(await tryAll(subject, token), NOTHING, "the released token");
			same((await hold(subject.store)).attempt, 2, "the event is still free: attempt");
		}),
		rule("a stale token changes nothing of the next worker's lease", async (subject) => {
			const { store, advance } = subject;
			const { token: stale } = await hold(store);
			await advance(leaseMs + 1);
			const { token } = await hold(store);
			same(await tryAll(subject, stale), NOTHING, "the stale token");
			same(await see(store), "in_flight", "the event");
			await advance(leaseMs - marginMs);
			same(await store.extend(KEY, stale, leaseMs), false, "a late extension");
			await advance(marginMs + 1);
			same(await see(store), "acquired", "the lease ends when it should");
			same(await store.complete(KEY, token, retentionMs), false, "the second token is stale by now");
		}),
		rule("a stale token changes nothing of what another worker completed", async (subject) => {
			const { store, advance } = subject;
			const { token: stale } = await hold(store);
			await advance(leaseMs + 1);
			const { token } = await hold(store);
			await store.complete(KEY, token, retentionMs);
			same(await tryAll(subject, stale), NOTHING, "the stale token");
			same(await see(store), "done", "the event");
		}),
		rule("a token that nobody was given does nothing", async (subject) => {
			const { store } = subject;
			same(await tryAll(subject, 1), NOTHING, "an event that is not there");
			const { token, attempt } = await hold(store);
			same(attempt, 1, "nothing was left behind: attempt");
			for (const other of [token + 1, token - 1, 0, -1])
				same(await tryAll(subject, other), NOTHING, `${other}`);
			same(await store.complete(KEY, token, retentionMs), true, "the right token");
		}),
		rule("an extension counts from now, not from the lease's end", async ({ store, advance }) => {
			const { token } = await hold(store);
			await advance(leaseMs / 2);
			same(await store.extend(KEY, token, leaseMs), true, "extend");
			await advance(leaseMs - marginMs);
			same(await see(store), "in_flight", "before the new end");
			await advance(marginMs + 1);
			same(await see(store), "acquired", "after the new end");
		}),
		rule("a lapsed lease that nobody else claimed is still its worker's", async ({ store, advance }) => {
			const { token } = await hold(store);
			await advance(leaseMs + 1);
			same(await store.extend(KEY, token, leaseMs), true, "extend");
			same(await see(store), "in_flight", "the event is held again");
			await advance(leaseMs + 1);
			same(await store.complete(KEY, token, retentionMs), true, "complete");
		}),
		rule("of completing and releasing at the same time one counts", async ({ store }) => {
			const { token } = await hold(store);
			const [isDone, isFree] = await Promise.all([
				store.complete(KEY, token, retentionMs),
				store.release(KEY, token),
			]);
			same(isDone !== isFree, true, "one of them");
			same(await see(store), isDone ? "done" : "acquired", "the event");
		}),
		rule("tokens only grow, over release, lapse and reclaim", async ({ store, advance }) => {
			let last = 0;
			for (let round = 0; round < 20; round++) {
				const { token, attempt } = await hold(store);
				same([token > last, attempt], [true, round + 1], `round ${round}, token ${token} after ${last}`);
				last = token;
				if (round % 3 === 0) await store.release(KEY, token);
				else await advance(leaseMs + 1);
				if (round % 5 === 4) await advance(retentionMs - leaseMs - marginMs);
			}
		}),
		rule("a done event is forgotten when its retention is over, counted from its end", async (subject) => {
			const { store, advance } = subject;
			const { token } = await hold(store);
			await advance(leaseMs / 2);
			await store.complete(KEY, token, retentionMs);
			await advance(retentionMs - marginMs);
			same(await see(store), "done", "before");
			await advance(marginMs + 1);
			same(await tryAll(subject, token), NOTHING, "its token");
			same((await hold(store)).attempt, 1, "after: attempt");
		}),
		rule("an event that was never finished is forgotten with its retention", async ({ store, advance }) => {
			const { token } = await hold(store);
			await store.release(KEY, token);
			await advance(retentionMs + 1);
			same((await hold(store)).attempt, 1, "attempt");
		}),
		rule("a held event is never forgotten, however long it is held", async ({ store, advance }) => {
			const { token } = await hold(store);
			for (let heldMs = 0; heldMs <= retentionMs; heldMs += leaseMs / 2) {
				same(await store.extend(KEY, token, leaseMs), true, `extend after ${heldMs} ms`);
				await advance(leaseMs / 2);
			}
			same(await see(store), "in_flight", "the event");
			same(await store.complete(KEY, token, retentionMs), true, "complete");
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
			for (const key of keys) tokens.set(key, (await hold(subject.store, key)).token);
			for (const key of keys.slice(0, -1)) {
				same(await subject.store.complete(key, tokens.get(key) ?? 0, retentionMs), true, key);
			}
			same(await see(subject.store, keys.at(-1)), "in_flight", "the last one");
			same(await see(subject.store, keys[0]), "done", "the first one");
		}),
		...contractCases(leaseMs, retentionMs),
		...bindingCases(retentionMs),
		...bindingClockCases(retentionMs),
	];
}
