import { postgresStore } from "messaging-gateway/stores/postgres";
import { redisStore, type SharedStore } from "messaging-gateway/stores/redis";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const TIMES = { leaseMs: 60_000, retentionMs: 600_000 };

/** A server whose first answer is late, and what it was asked. */
function createServer(first: unknown) {
	const asked: { text: string; values: unknown[] }[] = [];
	const answer = async (text: string, values: unknown[], later: unknown): Promise<unknown> => {
		asked.push({ text, values });
		if (asked.length > 1) return later;
		await new Promise((resolve) => setTimeout(resolve, 2_000));
		if (first instanceof Error) throw first;
		return first;
	};
	return { asked, answer };
}

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

/** Waits for the claim to be given up, and for its late answer. */
async function claimTooLate(store: SharedStore) {
	const claim = store.claim("default:evt_1", TIMES).catch((error: Error) => error.message);
	await vi.advanceTimersByTimeAsync(1_000);
	expect(await claim).toBe("no answer within 1000 ms");
	await vi.advanceTimersByTimeAsync(1_000);
}

describe("redis", () => {
	function createStore(reply: unknown) {
		const { asked, answer } = createServer(reply);
		const store = redisStore(
			{ eval: (script, keys, args) => answer(script, [...keys, ...args], 1) },
			{ timeoutMs: 1_000 },
		);
		return { asked, store };
	}

	test("lets go what a claim got too late, unused", async () => {
		const { asked, store } = createStore(["acquired", 7, 1]);
		await claimTooLate(store);
		expect(asked.length).toBe(2);
		expect(asked[1]).toMatchObject({
			text: expect.stringContaining("'free"),
			values: ["messaging-gateway:event:default:evt_1", "7", "1"],
		});
	});

	test.each([[["in_flight", 5]], [["done"]], ["nonsense"], [new Error("the connection is lost")]])(
		"lets nothing go after %o",
		async (reply) => {
			const { asked, store } = createStore(reply);
			await claimTooLate(store);
			expect(asked.length).toBe(1);
		},
	);
});

describe("postgres", () => {
	function createStore(rows: unknown) {
		const { asked, answer } = createServer(rows instanceof Error ? rows : { rows });
		const query = async (text: string, values: unknown[]) =>
			(await answer(text, values, { rows: [{}] })) as { rows: Record<string, unknown>[] };
		return { asked, store: postgresStore({ query }, { timeoutMs: 1_000 }) };
	}

	test("lets go what a claim got too late, unused", async () => {
		const { asked, store } = createStore([{ token: "7", attempt: 1 }]);
		await claimTooLate(store);
		expect(asked.length).toBe(2);
		expect(asked[1]).toMatchObject({
			text: expect.stringContaining("'free'"),
			values: ["event:default:evt_1", 7, 1],
		});
	});

	test.each([[[]], [undefined], [[null]], [new Error("the connection is lost")]])(
		"lets nothing go after %o",
		async (rows) => {
			const { asked, store } = createStore(rows);
			await claimTooLate(store);
			expect(asked.length).toBe(1);
		},
	);
});
