import type { ClaimResult, EventStore } from "messaging-gateway/webhooks";

/** Much longer than any test, so that nothing ends by itself on a slow machine. */
export const LEASE_MS = 3_600_000;
export const RETENTION_MS = 10 * LEASE_MS;

const TIMES = { leaseMs: LEASE_MS, retentionMs: RETENTION_MS };

/** Claims what must be free. */
export async function acquire(store: EventStore, key = "default:evt_1") {
	const claim = await store.claim(key, TIMES);
	if (claim.status !== "acquired") throw new Error(`${key} should be free, but it is ${claim.status}`);
	return claim;
}

/** Claims an event with a delivery. @returns the key that the delivery is bound to. */
export async function bind(store: EventStore, digest: string, key: string, ttlMs: number): Promise<string> {
	const { boundKey = key } = await store.claim(key, TIMES, { digest, ttlMs });
	return boundKey;
}

/** What a claim of it finds. */
export async function look(store: EventStore, key = "default:evt_1"): Promise<ClaimResult["status"]> {
	return (await store.claim(key, TIMES)).status;
}
