import type { SharedStore } from "messaging-gateway/stores/redis";
import { expect, test } from "vitest";
import { RETENTION_MS } from "../../support/claims.ts";

/** Waits until the lease of a real server has ended. */
export function testRealLease(createStore: () => Promise<SharedStore>): void {
	test("a lease really ends with its time", async () => {
		const { leaseMs, leftMs, claim } = await seeLease(await createStore());
		expect(leftMs).toBeGreaterThan(0);
		expect(leftMs).toBeLessThanOrEqual(leaseMs);
		await expect.poll(async () => (await claim()).status).toBe("acquired");
	});
}

/** Claims an event, and what a second claim finds: a lease that lasts long enough for this machine to see it. */
async function seeLease(store: SharedStore, leaseMs = 200) {
	const key = `default:evt_of_${leaseMs}`;
	const claim = () => store.claim(key, { leaseMs, retentionMs: RETENTION_MS });
	expect((await claim()).status).toBe("acquired");
	const repeat = await claim();
	if (repeat.status !== "in_flight") return seeLease(store, 2 * leaseMs);
	return { leaseMs, leftMs: repeat.retryAfterMs, claim };
}
