import { postgresStore } from "messaging-gateway/stores/postgres";
import { redisStore, type SharedStore } from "messaging-gateway/stores/redis";
import { sqliteClientStore } from "messaging-gateway/stores/sqlite-client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const TIMES = { leaseMs: 60_000, retentionMs: 600_000 };

/** A server whose first response is late, and the requests that it got. */
function createServer(first: unknown) {
	const requests: { text: string; values: unknown[] }[] = [];
	const respond = async (text: string, values: unknown[], later: unknown): Promise<unknown> => {
		requests.push({ text, values });
		if (requests.length > 1) return later;
		await new Promise((resolve) => setTimeout(resolve, 2_000));
		if (first instanceof Error) throw first;
		return first;
	};
	return { requests, respond };
}

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

const BINDING = { digest: "a", eventId: "evt_1", ttlMs: 60_000, keyPrefix: "default:" };

const claimAlone = (store: SharedStore): Promise<unknown> => store.claim("default:evt_1", TIMES);

const bindAndClaim = (store: SharedStore): Promise<unknown> => store.bindAndClaim(BINDING, TIMES);

/** Waits for the claim to time out, and for its late response. */
async function claimTooLate(store: SharedStore, start = claimAlone) {
	const claim = start(store).catch((error: Error) => error.message);
	await vi.advanceTimersByTimeAsync(1_000);
	expect(await claim).toBe("no response within 1000 ms");
	await vi.advanceTimersByTimeAsync(1_000);
}

describe("redis", () => {
	function createStore(reply: unknown) {
		const { requests, respond } = createServer(reply);
		const store = redisStore(
			{ oneServer: true, eval: (script, keys, args) => respond(script, [...keys, ...args], 1) },
			{ timeoutMs: 1_000 },
		);
		return { requests, store };
	}

	test.each([
		["a claim", claimAlone],
		["a combined step", bindAndClaim],
	])("releases what %s got too late, unused", async (_title, start) => {
		const { requests, store } = createStore(["acquired", 7, 1]);
		await claimTooLate(store, start);
		expect(requests.length).toBe(2);
		expect(requests[1]).toMatchObject({
			text: expect.stringContaining("'free"),
			values: ["messaging-gateway:event:default:evt_1", "7", "1"],
		});
	});

	test.each([[["in_flight", 5]], [["done"]], ["nonsense"], [new Error("the connection is lost")]])(
		"lets nothing go after %o",
		async (reply) => {
			for (const start of [claimAlone, bindAndClaim]) {
				const { requests, store } = createStore(reply);
				await claimTooLate(store, start);
				expect(requests.length).toBe(1);
			}
		},
	);
});

describe("postgres", () => {
	function createStore(rows: unknown) {
		const { requests, respond } = createServer(rows instanceof Error ? rows : { rows });
		const query = async (text: string, values: unknown[]) =>
			(await respond(text, values, { rows: [{}] })) as { rows: Record<string, unknown>[] };
		return { requests, store: postgresStore({ query }, { timeoutMs: 1_000 }) };
	}

	test("releases what a claim got too late, unused", async () => {
		const { requests, store } = createStore([{ token: "7", attempt: 1 }]);
		await claimTooLate(store);
		expect(requests.length).toBe(2);
		expect(requests[1]).toMatchObject({
			text: expect.stringContaining("'free'"),
			values: ["event:default:evt_1", 7, 1],
		});
	});

	test("releases what a combined step got too late, under the bound id", async () => {
		const { requests, store } = createStore([{ event_id: "evt_0", token: "7", attempt: 1, is_done: false }]);
		await claimTooLate(store, bindAndClaim);
		expect(requests.length).toBe(2);
		expect(requests[1]).toMatchObject({
			text: expect.stringContaining("'free'"),
			values: ["event:default:evt_0", 7, 1],
		});
	});

	test.each([[[]], [undefined], [[null]], [new Error("the connection is lost")]])(
		"lets nothing go after %o",
		async (rows) => {
			for (const start of [claimAlone, bindAndClaim]) {
				const { requests, store } = createStore(rows);
				await claimTooLate(store, start);
				expect(requests.length).toBe(1);
			}
		},
	);

	test("lets nothing go after a combined step that found the event done", async () => {
		const { requests, store } = createStore([
			{ event_id: "evt_1", token: null, attempt: null, is_done: true },
		]);
		await claimTooLate(store, bindAndClaim);
		expect(requests.length).toBe(1);
	});
});

describe("a client of SQLite", () => {
	function createStore(rows: unknown) {
		const { requests, respond } = createServer(rows);
		const query = async (text: string, values: unknown[]) => (await respond(text, values, [{}])) as unknown[];
		return { requests, store: sqliteClientStore({ query }, { timeoutMs: 1_000 }) };
	}

	test.each([
		["a claim", claimAlone, [{ event_id: null, token: 7, attempt: 1 }], "evt_1"],
		[
			"a combined step",
			bindAndClaim,
			[
				{ event_id: null, token: 7, attempt: 1, is_done: 0 },
				{ event_id: "evt_0", token: null, attempt: null, is_done: 0 },
			],
			"evt_0",
		],
	])("releases what %s got too late, unused", async (_title, start, rows, eventId) => {
		const { requests, store } = createStore(rows);
		await claimTooLate(store, start);
		expect(requests.length).toBe(2);
		expect(requests[1]).toMatchObject({
			text: expect.stringContaining("'free"),
			values: [`event:default:${eventId}`, 7, 1],
		});
	});

	test.each([[[]], [undefined], [[null]], [new Error("the connection is lost")]])(
		"lets nothing go after %o",
		async (rows) => {
			for (const start of [claimAlone, bindAndClaim]) {
				const { requests, store } = createStore(rows);
				await claimTooLate(store, start);
				expect(requests.length).toBe(1);
			}
		},
	);

	test("lets nothing go after a combined step that found the event done", async () => {
		const { requests, store } = createStore([{ event_id: "evt_1", token: null, attempt: null, is_done: 1 }]);
		await claimTooLate(store, bindAndClaim);
		expect(requests.length).toBe(1);
	});
});
