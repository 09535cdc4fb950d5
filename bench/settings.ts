import type { Case, Settings } from "./cases.ts";

/**
 * How long everything is measured, in one place: a whole `npm run bench` takes two and a half minutes on an idle
 * machine of two cores.
 */
export const SETTINGS = {
	speed: { rounds: 9, sliceMs: 20, size: 0 },
	stores: { rounds: 5, sliceMs: 200, size: 50_000 },
	growth: { rounds: 9, sliceMs: 50, size: 1_000_000 },
} as const satisfies Record<string, Settings>;

/**
 * How long each contender runs before a round counts, so that the engine has optimised its code: longest in the first
 * case of a table, whose contenders do the same work again in the others.
 */
export const WARM_UP_MS = { firstCase: 700, otherCases: 100 };

/** A round is a process. */
export const STARTS: Pick<Case, "rounds"> = { rounds: 4 };

/** Longer slices than usual, since three processes share the machine and a slice has 128 deliveries at least. */
export const DELIVERIES: Pick<Case, "rounds" | "sliceMs"> = { rounds: 5, sliceMs: 50 };

/** How many deliveries are in flight at a time. */
export const LOADS = [1, 8, 32, 128] as const;

/** How many deliveries show whether memory grows, and whether PostgreSQL writes to its indexes. */
export const DELIVERED = { memory: 1_000_000, postgres: 5_000 } as const;

/** How many receivers share a store, with so many deliveries in flight that none of them is idle. */
export const RECEIVERS = [1, 2, 4] as const;
export const RATES: Pick<Case, "rounds" | "sliceMs" | "concurrency"> = {
	rounds: 9,
	sliceMs: 1_000,
	concurrency: 64,
};
