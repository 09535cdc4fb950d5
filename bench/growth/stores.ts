import { memoryStore } from "messaging-gateway/webhooks";
import { createSteppingClock } from "../stepping-clock.ts";
import { newDigest, newEventId, newKey } from "../stores/keys.ts";
import type { GrowthSubject } from "./subject.ts";

const HOUR_MS = 3_600_000;

/** The store in memory, filled to its bound: each new entry makes it forget another. */
export const STORE_SUBJECTS: readonly GrowthSubject[] = [
	{
		name: "memory store, claim and complete when full",
		sizeOf: "entries",
		growth: "constant",
		async prepare(maxEntries) {
			const store = memoryStore({ maxEntries });
			const processOne = async () => {
				const key = newKey();
				const claim = await store.claim(key, { leaseMs: HOUR_MS, retentionMs: HOUR_MS });
				if (claim.status !== "acquired") throw new Error(`a new event is ${claim.status}`);
				await store.complete(key, claim.token, HOUR_MS);
			};
			for (let at = 0; at < maxEntries; at++) await processOne();
			return processOne;
		},
	},
	{
		name: "memory store, bind while as many end",
		sizeOf: "entries",
		growth: "constant",
		async prepare(entries) {
			const clock = createSteppingClock(1);
			const store = memoryStore({ maxEntries: entries * 2, clock });
			const bindOne = () => {
				clock.step();
				return store.bind(newDigest(), newEventId(), entries);
			};
			for (let at = 0; at < entries; at++) await bindOne();
			return bindOne;
		},
	},
];
