import type { EventStore } from "../../library/stores/event-store.ts";
import { acquire, type EventStoreSubject, look, rule, type StoreCase, same } from "./store-case.ts";

const KEY = "default:evt_1";

/** A rule that needs records to be lost; a store that cannot lose them in a test passes by default. */
function lossRule(
	name: string,
	check: (subject: EventStoreSubject & { loseRecords(): Promise<void> }) => Promise<void>,
): StoreCase<EventStore> {
	return rule(name, async (subject) => {
		const { loseRecords } = subject;
		if (loseRecords !== undefined) await check({ ...subject, loseRecords });
	});
}

/** What each step resolves to, what counts as an attempt, and how tokens grow when records are lost. */
export function contractCases(leaseMs: number, retentionMs: number): readonly StoreCase<EventStore>[] {
	const claimTimes = { leaseMs, retentionMs };
	const hold = (store: EventStore, key = KEY) => acquire(store, key, claimTimes);

	return [
		rule("each step resolves to the values of its contract, and to no others", async ({ store }) => {
			const claim = await hold(store);
			same(Object.keys(claim).sort(), ["attempt", "status", "token"], "a claim that is acquired");
			const repeat = await store.claim(KEY, claimTimes);
			same(Object.keys(repeat).sort(), ["retryAfterMs", "status"], "a claim of a held event");
			const leftMs: unknown = repeat.status === "in_flight" ? repeat.retryAfterMs : undefined;
			same(
				typeof leftMs === "number" && leftMs > 0 && leftMs <= leaseMs,
				true,
				`${String(leftMs)} ms are left`,
			);
			same(await store.extend(KEY, claim.token, leaseMs), true, "an extension");
			same(await store.release(KEY, claim.token + 1), false, "a release with another token");
			same(await store.complete(KEY, claim.token + 1, retentionMs), false, "a completion with another token");
			same(await store.complete(KEY, claim.token, retentionMs), true, "a completion");
			same(await store.extend(KEY, claim.token, leaseMs), false, "an extension of what is done");
			same(await store.claim(KEY, claimTimes), { status: "done" }, "a claim of what is done");
		}),
		rule("a claim that is released unused is no attempt", async ({ store }) => {
			for (let round = 0; round < 3; round++) {
				const { token, attempt } = await hold(store);
				same(attempt, 1, `round ${round}: attempt`);
				same(await store.release(KEY, token, { unused: true }), true, "release");
			}
			await store.release(KEY, (await hold(store)).token);
			const { token, attempt } = await hold(store);
			same(attempt, 2, "after a run: attempt");
			await store.release(KEY, token, { unused: true });
			await store.release(KEY, (await hold(store)).token, { unused: false });
			same((await hold(store)).attempt, 3, "after two runs: attempt");
		}),
		rule(
			"a claim that came too late is released with its token, as if it had not been made",
			async (subject) => {
				const { store, advance } = subject;
				const { token } = await hold(store);
				await advance(leaseMs / 2);
				same(await look(store, KEY, claimTimes), "in_flight", "before");
				same(await store.release(KEY, token, { unused: true }), true, "release");
				const next = await hold(store);
				same([next.token > token, next.attempt], [true, 1], "the token grows, and the attempt is the first");
			},
		),
		rule(
			"a late claim whose lease is over is released too, unless another worker holds the event",
			async ({ store, advance }) => {
				const { token } = await hold(store);
				await advance(leaseMs + 1);
				same(await store.release(KEY, token, { unused: true }), true, "release");
				const { token: second, attempt } = await hold(store);
				same(attempt, 1, "attempt");
				await advance(leaseMs + 1);
				const third = await hold(store);
				same(await store.release(KEY, second, { unused: true }), false, "a release of a stale claim");
				same(await look(store, KEY, claimTimes), "in_flight", "the event is held still");
				await store.release(KEY, third.token);
				same((await hold(store)).attempt, 3, "nothing was subtracted: attempt");
			},
		),
		rule("tokens grow beyond the retention, which a worker may outlive", async ({ store, advance }) => {
			const { token: stale } = await hold(store);
			await advance(retentionMs + 1);
			const { token, attempt } = await hold(store);
			same([token > stale, attempt], [true, 1], "the token grows, and the attempt is the first");
			same(await store.complete(KEY, stale, retentionMs), false, "the stale token");
			same(await store.complete(KEY, token, retentionMs), true, "the current one");
		}),
		lossRule("tokens grow over lost records, however many events came at once", async (subject) => {
			const keys = Array.from({ length: 200 }, (_, at) => `default:evt_${at}`);
			const tokens = new Map<string, number>();
			for (const key of keys) tokens.set(key, (await hold(subject.store, key)).token);
			await subject.loseRecords();
			for (const key of keys) {
				const { token, attempt } = await hold(subject.store, key);
				const stale = tokens.get(key) ?? 0;
				same([token > stale, attempt], [true, 1], `${key}: token ${token} after ${stale}`);
				same(await subject.store.complete(key, stale, retentionMs), false, `${key}: the stale token`);
			}
		}),
		lossRule(
			"a finished run whose record is lost can be marked as done with another claim",
			async (subject) => {
				const { token } = await hold(subject.store);
				await subject.loseRecords();
				same(await subject.store.complete(KEY, token, retentionMs), false, "the lost claim");
				const { token: second } = await hold(subject.store);
				same(await subject.store.complete(KEY, second, retentionMs), true, "the new claim");
				same(await look(subject.store, KEY, claimTimes), "done", "the event");
			},
		),
	];
}
