import type { ClaimResult, DeliveryBinding, EventStore } from "../../library/stores/event-store.ts";
import { rule, type StoreCase, same } from "./store-case.ts";

/** The rules about deliveries, which `claim` binds to the first key that comes with them. */
export function bindingCases(ttlMs: number): readonly StoreCase<EventStore>[] {
	const times = { leaseMs: ttlMs, retentionMs: 2 * ttlMs };
	const delivery = (digest: string): DeliveryBinding => ({ digest, ttlMs });

	/** The key that was claimed, and what the claim found. */
	const show = (given: string, { boundKey = given, status }: ClaimResult): string => `${boundKey} ${status}`;

	async function claim(store: EventStore, digest: string, key: string): Promise<string> {
		return show(key, await store.claim(key, times, delivery(digest)));
	}

	/** Claims what must be free. */
	async function acquire(store: EventStore, digest: string, key: string) {
		const found = await store.claim(key, times, delivery(digest));
		if (found.status === "acquired") return { ...found, key: found.boundKey ?? key };
		throw new Error(`${key} should be free, but got ${show(key, found)}`);
	}

	return [
		rule("a claim binds the delivery, and claims its event", async ({ store }) => {
			const { key, token, attempt } = await acquire(store, "a", "evt_1");
			same([key, attempt], ["evt_1", 1], "key and attempt");
			same(await claim(store, "a", "evt_2"), "evt_1 in_flight", "another key");
			same((await store.claim("evt_1", times)).status, "in_flight", "without a delivery");
			same(await store.extend("evt_1", token, times.leaseMs), true, "extend");
			same(await store.complete("evt_1", token, ttlMs), true, "complete");
			same(await claim(store, "a", "evt_1"), "evt_1 done", "a repeat");
		}),
		rule("a claim with a delivery resolves to the values of its contract", async ({ store }) => {
			const first = await store.claim("evt_1", times, delivery("a"));
			same(defined(first), ["attempt", "status", "token"], "a claim");
			const repeat = await store.claim("evt_1", times, delivery("a"));
			const leftMs = repeat.status === "in_flight" ? repeat.retryAfterMs : Number.NaN;
			same(defined(repeat), ["retryAfterMs", "status"], "a repeat");
			same(leftMs > 0 && leftMs <= times.leaseMs, true, `${leftMs} ms are left`);
			const copy = await store.claim("evt_2", times, delivery("a"));
			same(defined(copy), ["boundKey", "retryAfterMs", "status"], "a copy under another key");
		}),
		rule("deliveries are bound apart", async ({ store }) => {
			same(await claim(store, "a", "evt_1"), "evt_1 acquired", "one");
			same(await claim(store, "b", "evt_2"), "evt_2 acquired", "another one");
			same(await claim(store, "c", "evt_1"), "evt_1 in_flight", "a further delivery of the first event");
		}),
		rule("a bound key comes back unchanged, whatever its characters are", async ({ store }) => {
			const keys = [
				"1",
				"007",
				"1e3",
				"true",
				"null",
				"{}",
				'"',
				"'",
				"\\",
				"=",
				"%s",
				"$1",
				"x".repeat(256),
			];
			for (const key of keys) {
				same(await claim(store, `digest of ${key}`, key), `${key} acquired`, "at first");
				same(await claim(store, `digest of ${key}`, "evt_2"), `${key} in_flight`, "again");
			}
			same(await claim(store, "of no other", "evt_2"), "evt_2 acquired", "the other key is free");
		}),
		rule("a binding ends with its time, and a repeat does not prolong it", async ({ store, advance }) => {
			await acquire(store, "a", "evt_1");
			await advance(ttlMs * 0.9);
			same(await claim(store, "a", "evt_2"), "evt_1 in_flight", "before");
			await advance(ttlMs * 0.1 + 1);
			same(await claim(store, "a", "evt_2"), "evt_2 acquired", "after");
		}),
		rule("a binding is no event", async ({ store }) => {
			await acquire(store, "evt_1", "evt_2");
			same(await claim(store, "evt_2", "evt_1"), "evt_1 acquired", "another one");
		}),
		rule(
			"a copy under another key finds the bound event, and leaves no record of its key",
			async ({ store }) => {
				const first = await acquire(store, "a", "evt_1");
				same(await claim(store, "a", "evt_2"), "evt_1 in_flight", "while it is held");
				await store.release("evt_1", first.token);
				const second = await acquire(store, "a", "evt_2");
				same([second.key, second.attempt], ["evt_1", 2], "when it is free");
				await store.complete("evt_1", second.token, ttlMs);
				same(await claim(store, "a", "evt_2"), "evt_1 done", "when it is done");
				const other = await store.claim("evt_2", times);
				same(other.status === "acquired" && other.attempt, 1, "the first attempt of the other key");
			},
		),
		rule("of many concurrent copies under keys of their own one claims", async ({ store }) => {
			const keys = Array.from({ length: 50 }, (_, at) => `evt_${at}`);
			const found = await Promise.all(
				keys.map(async (key) => ({ key, ...(await store.claim(key, times, delivery("a"))) })),
			);
			const [bound = "", ...others] = new Set(found.map(({ key, boundKey = key }) => boundKey));
			same(others, [], "other bound keys");
			same(found.filter(({ status }) => status === "acquired").length, 1, "winners");
			for (const key of keys.filter((each) => each !== bound)) {
				const claimed = await store.claim(key, times);
				same(claimed.status === "acquired" && claimed.attempt, 1, `the first attempt of ${key}`);
			}
		}),
	];
}

/** The names of the members that have a value. */
function defined(claim: ClaimResult): string[] {
	return Object.entries(claim)
		.flatMap(([name, value]) => (value === undefined ? [] : [name]))
		.sort();
}
