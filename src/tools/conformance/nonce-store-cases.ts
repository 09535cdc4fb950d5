import type { NonceStore } from "../../library/signing/nonce-store.ts";
import { nonceClockCases } from "./clock-cases.ts";
import { rule, type StoreCase, same } from "./store-case.ts";

/** How long nonces are remembered in the cases. A store whose clock you can't move needs a short time. */
export interface NonceStoreCaseTimes {
	/** How long a nonce is remembered, in milliseconds. @default 600_000 */
	ttlMs?: number | undefined;
}

/**
 * Returns test cases for a store of nonces that you write. Each nonce is new once, even if the clocks of processes
 * differ.
 */
export function nonceStoreCases({
	ttlMs = 600_000,
}: NonceStoreCaseTimes = {}): readonly StoreCase<NonceStore>[] {
	return [
		rule("a nonce is new once", async ({ store }) => {
			same(await store.remember("app:1", ttlMs), true, "at first");
			same(await store.remember("app:1", ttlMs), false, "again");
			same(await store.remember("app:1", ttlMs), false, "and again");
		}),
		rule("of many concurrent calls with a nonce, one finds it new", async ({ store }) => {
			const all = Array.from({ length: 50 }, () => store.remember("app:1", ttlMs));
			same((await Promise.all(all)).filter((isNew) => isNew).length, 1, "winners");
		}),
		rule("nonces are remembered apart, whatever their characters are", async ({ store }) => {
			for (const key of [
				"app:1",
				"app:2",
				"other:1",
				"app:{1}",
				"app:'",
				'app:"',
				"app:*",
				"app:%",
				`app:${"x".repeat(256)}`,
			]) {
				same(await store.remember(key, ttlMs), true, key);
			}
			same(await store.remember("app:2", ttlMs), false, "one of them again");
		}),
		rule(
			"`has`, if the store has it, reports whether a nonce is remembered, without remembering it",
			async (subject) => {
				const { store, advance } = subject;
				if (store.has === undefined) return;
				same(await store.has("app:1"), false, "at first");
				same(await store.remember("app:1", ttlMs), true, "after `has`");
				same(await store.has("app:1"), true, "once it is remembered");
				same(await store.has("app:2"), false, "another");
				await advance(ttlMs + 1);
				same(await store.has("app:1"), false, "when its time is over");
			},
		),
		rule("a nonce is forgotten when its time is over, and a repeat does not prolong it", async (subject) => {
			const { store, advance } = subject;
			await store.remember("app:1", ttlMs);
			await advance(ttlMs * 0.9);
			same(await store.remember("app:1", ttlMs), false, "before");
			await advance(ttlMs * 0.1 + 1);
			same(await store.remember("app:1", ttlMs), true, "after");
			same(await store.remember("app:1", ttlMs), false, "remembered again");
		}),
		...nonceClockCases(ttlMs),
	];
}
