import { memoryStore } from "messaging-gateway/webhooks";
import type { OpenCases, Table } from "../cases.ts";
import { collectGarbage } from "../heap.ts";
import { createSteppingClock, newDigest, newEventId } from "../inputs.ts";
import { processNewEvent } from "../stores/subject.ts";
import { BODIES, type Prepare } from "./bodies.ts";
import { GATEWAY } from "./gateway.ts";

/** The store in memory, filled to its bound: each new entry makes it forget another. */
const STORES: Readonly<Record<string, Prepare>> = {
	async "memory store, claim and complete when full"(maxEntries) {
		const store = memoryStore({ maxEntries });
		for (let at = 0; at < maxEntries; at++) await processNewEvent(store);
		return () => processNewEvent(store);
	},
	async "memory store, claim with a binding while as many end"(entries) {
		const clock = createSteppingClock(1);
		const store = memoryStore({ maxEntries: entries * 2, clock });
		const times = { leaseMs: entries, retentionMs: entries };
		const bindOne = () => {
			clock.step();
			return store.claim(newEventId(), times, { digest: newDigest(), ttlMs: entries });
		};
		for (let at = 0; at < entries; at++) await bindOne();
		return bindOne;
	},
};

/**
 * The tables of `npm run bench:growth`. The largest exponents are still noise: caches and garbage collection make large
 * sizes more expensive.
 */
export const GROWTH: Readonly<Record<string, Table>> = Object.fromEntries([
	...createTables(BODIES, "bytes", 1.15),
	...createTables({ ...STORES, ...GATEWAY }, "entries", 0.15),
]);

function createTables(subjects: Readonly<Record<string, Prepare>>, sizeOf: string, maxExponent: number) {
	return Object.entries(subjects).map(([name, prepare]): [string, Table] => [
		name,
		{ shows: "cost", maxExponent, open: async () => openSizes(prepare, sizeOf) },
	]);
}

function openSizes(prepare: Prepare, sizeOf: string): OpenCases {
	return async function* (_, settings) {
		for (const size of [1e2, 1e3, 1e4, 1e5, 1e6].filter((each) => each <= settings.size)) {
			// Before and after: collecting gigabytes takes longer than the measured work, and would distort it.
			collectGarbage();
			const run = await prepare(size);
			collectGarbage();
			yield { name: `${size} ${sizeOf}`, contenders: [{ name: "messaging-gateway", role: "ours", run }] };
		}
	};
}
