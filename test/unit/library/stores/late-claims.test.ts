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

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const BINDING = { digest: "a", eventId: "evt_1", ttlMs: 60_000, keyPrefix: "default:" };

const claimAlone = (store: SharedStore): Promise<unknown> => store.claim("default:evt_1", TIMES);

const bindAndClaim = (store: SharedStore): Promise<unknown> => store.bindAndClaim(BINDING, TIMES);

/** Waits for the claim to time out, and for its late response. */
async function claimTooLate(store: SharedStore, start: typeof claimAlone) {
	const claim = start(store).catch((error: Error) => error.message);
	await vi.advanceTimersByTimeAsync(1_000);
	expect(await claim).toBe("no response within 1000 ms");
	await vi.advanceTimersByTimeAsync(1_000);
}

/** A store, the requests that its server got, and the values of one that releases an event. */
interface Subject {
	readonly store: SharedStore;
	readonly requests: ReturnType<typeof createServer>["requests"];
	readonly released: (eventId: string) => unknown[];
}

const options = { timeoutMs: 1_000 };

function createRedis(reply: unknown): Subject {
	const { requests, respond } = createServer(reply);
	const store = redisStore(
		{ oneServer: true, eval: (script, keys, args) => respond(script, [...keys, ...args], 1) },
		options,
	);
	return { store, requests, released: (id) => [`messaging-gateway:event:default:${id}`, "7", "1"] };
}

function createPostgres(rows: unknown): Subject {
	const { requests, respond } = createServer(rows instanceof Error ? rows : { rows });
	const query = async (text: string, values: unknown[]) =>
		(await respond(text, values, { rows: [{}] })) as { rows: Record<string, unknown>[] };
	return {
		store: postgresStore({ query }, options),
		requests,
		released: (id) => [`event:default:${id}`, 7, 1],
	};
}

function createSqlite(rows: unknown): Subject {
	const { requests, respond } = createServer(rows);
	const query = async (text: string, values: unknown[]) => (await respond(text, values, [{}])) as unknown[];
	return {
		store: sqliteClientStore({ query }, options),
		requests,
		released: (id) => [`event:default:${id}`, 7, 1],
	};
}

const claimed = { token: "7", attempt: 1 };
const free = { token: null, attempt: null };
const lost = new Error("the connection is lost");
/** Each reply, to both ways of claiming. */
const toBoth = (...replies: unknown[]): [reply: unknown, start: typeof claimAlone][] =>
	replies.flatMap((reply): [unknown, typeof claimAlone][] => [
		[reply, claimAlone],
		[reply, bindAndClaim],
	]);
const noRows = toBoth([], undefined, [null], lost);

describe.each<
	[
		name: string,
		create: (reply: unknown) => Subject,
		acquired: [title: string, start: typeof claimAlone, reply: unknown, eventId: string][],
		others: [reply: unknown, start: typeof claimAlone][],
	]
>([
	[
		"redis",
		createRedis,
		[
			["a claim", claimAlone, ["acquired", 7, 1], "evt_1"],
			["a combined step", bindAndClaim, ["acquired", 7, 1], "evt_1"],
		],
		toBoth(["in_flight", 5], ["done"], "nonsense", lost),
	],
	[
		"postgres",
		createPostgres,
		[
			["a claim", claimAlone, [claimed], "evt_1"],
			["a combined step", bindAndClaim, [{ event_id: "evt_0", ...claimed, is_done: false }], "evt_0"],
		],
		[...noRows, [[{ event_id: "evt_1", ...free, is_done: true }], bindAndClaim]],
	],
	[
		"a client of SQLite",
		createSqlite,
		[
			["a claim", claimAlone, [{ event_id: null, token: 7, attempt: 1 }], "evt_1"],
			[
				"a combined step",
				bindAndClaim,
				[
					{ event_id: null, token: 7, attempt: 1, is_done: 0 },
					{ event_id: "evt_0", ...free, is_done: 0 },
				],
				"evt_0",
			],
		],
		[...noRows, [[{ event_id: "evt_1", ...free, is_done: 1 }], bindAndClaim]],
	],
])("%s", (_name, create, acquired, others) => {
	test.each(acquired)("releases what %s got too late, unused", async (_title, start, reply, eventId) => {
		const { requests, store, released } = create(reply);
		await claimTooLate(store, start);
		expect(requests.slice(1)).toEqual([
			{ text: expect.stringContaining("'free"), values: released(eventId) },
		]);
	});

	test.each(others)("lets nothing go after %o", async (reply, start) => {
		const { requests, store } = create(reply);
		await claimTooLate(store, start);
		expect(requests).toHaveLength(1);
	});
});
