import type { Settings } from "./cases.ts";

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

/** What fills a store in memory, and how many deliveries it gets in a round. */
export const FULL_STORE = { entries: 100_000, deliveries: 300 } as const;

/** How many sends are settled in a round. */
export const SETTLED = { sends: 1_500, rounds: 5 } as const;

/** A round is a process. */
export const TESTS = { perFile: 20, rounds: 5 } as const;
export const FIRST_SENDS = { rounds: 11 } as const;
export const FIRST_WEBHOOK = { rounds: 11 } as const;
export const SENDER_MEMORY = { sends: 3_000, rounds: 3 } as const;

/** The sends of one sender in a round, and those before the first one. */
export const SEND_CPU = { sends: 500, warmUp: 2_000, rounds: 9 } as const;

export const ATTACHMENT = { mebibytes: [4, 64], rounds: 3 } as const;

/** Longer slices than usual, since three processes share the machine, and the slowest hundredth of a slice is measured. */
export const DELIVERIES = { rounds: 9, sliceMs: 300, concurrency: 32 } as const;

/** How many deliveries show whether memory grows, and whether PostgreSQL writes to its indexes. */
export const DELIVERED = { memory: 300_000, postgres: 5_000 } as const;

/** How many receivers share a store, with so many deliveries in flight that none of them is idle. */
export const RECEIVERS = [1, 2, 4] as const;
export const RATES = { rounds: 9, sliceMs: 1_000, concurrency: 64 } as const;
