import { memoryStore } from "messaging-gateway/webhooks";
import type { Subject } from "../subject.ts";

/** Enough for a few rounds; with the store's default, the benchmark would measure evictions. */
const MAX_ENTRIES = 10_000_000;

/** The store in memory. */
export function openMemory(): Subject[] {
	let current = memoryStore({ maxEntries: MAX_ENTRIES });
	return [
		{
			name: "memory",
			server: "none",
			client: "none",
			store: {
				claim: (key, times) => current.claim(key, times),
				extend: (key, token, leaseMs) => current.extend(key, token, leaseMs),
				complete: (key, token, retentionMs) => current.complete(key, token, retentionMs),
				release: (key, token, options) => current.release(key, token, options),
				bind: (digest, eventId, ttlMs) => current.bind(digest, eventId, ttlMs),
			},
			async reset() {
				current = memoryStore({ maxEntries: MAX_ENTRIES });
			},
			async measureSizes() {
				if (globalThis.gc === undefined) return undefined;
				globalThis.gc();
				return { total: process.memoryUsage().heapUsed };
			},
			// It has no client.
			async countCalls(run) {
				await run();
				return 0;
			},
		},
	];
}
