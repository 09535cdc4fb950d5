import { dynamodbStore } from "messaging-gateway/stores/dynamodb";
import { postgresStore } from "messaging-gateway/stores/postgres";
import { redisStore } from "messaging-gateway/stores/redis";
import { sqliteClientStore } from "messaging-gateway/stores/sqlite-client";
import type { EventStore } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { type CountingClock, createCountingClock } from "../../../support/counting-clock.ts";
import { DynamodbTable } from "../../../support/dynamodb-table.ts";
import { signedAt } from "../../../support/webhook-delivery.ts";
import { createReceiver, showResponse } from "../../../support/webhook-receiver.ts";

const STORE_TIMEOUT_MS = 1_000;

interface Request {
	readonly text: string;
	readonly values: readonly unknown[];
}

/** A server whose first response is late. */
function createServer(clock: CountingClock, replies: readonly unknown[]) {
	const requests: Request[] = [];
	async function respond(text: string, values: readonly unknown[], later: unknown): Promise<unknown> {
		const reply = requests.length < replies.length ? replies[requests.length] : later;
		requests.push({ text, values });
		if (requests.length === 1)
			await new Promise<void>((resolve) => void clock.setTimer(resolve, 2 * STORE_TIMEOUT_MS));
		if (reply instanceof Error) throw reply;
		return reply;
	}
	return { requests, respond };
}

type Server = ReturnType<typeof createServer>;

const createRedis = ({ respond }: Server, oneServer = true): EventStore =>
	redisStore({ oneServer, eval: (script, keys, args) => respond(script, [...keys, ...args], 1) });

const createPostgres = ({ respond }: Server): EventStore =>
	postgresStore({
		query: async (text, values) => ({
			rows: (await respond(text, values, [{}])) as Record<string, unknown>[],
		}),
	});

const createSqlite = ({ respond }: Server): EventStore =>
	sqliteClientStore({ query: async (text, values) => (await respond(text, values, [{}])) as unknown[] });

/** Delivers an event to a store whose claim takes longer than it may, and waits for its late response. */
async function deliverTooLate(createStore: (server: Server) => EventStore, replies: readonly unknown[]) {
	const clock = createCountingClock(signedAt * 1000);
	const server = createServer(clock, replies);
	const handle = vi.fn();
	const receiver = createReceiver({
		clock,
		store: createStore(server),
		storeTimeoutMs: STORE_TIMEOUT_MS,
		on: { inbound_message: handle },
	});
	const response = receiver.send();
	await clock.advance(STORE_TIMEOUT_MS);
	expect(showResponse(await response)).toBe("503 store_unavailable, again in 5 s");
	expect(receiver.reported()).toEqual([
		"store_unavailable: no response within storeTimeoutMs, 1000 ms. Check the store's server, and that its Pool has free connections",
	]);
	await clock.advance(STORE_TIMEOUT_MS);
	expect(handle).not.toHaveBeenCalled();
	expect(clock.openTimers).toBe(0);
	return server.requests;
}

const claimed = { token: "7", attempt: 1 };
const free = { token: null, attempt: null };
const lost = new Error("the connection is lost");
const bound = (id: string) => ({ bound_key: `event:default:${id}` });
const SQL_OTHERS = [[], undefined, [null], lost, [{ ...bound("evt_1"), ...free, is_done: true }]];

describe.each<
	[
		name: string,
		createStore: (server: Server) => EventStore,
		acquired: [title: string, replies: unknown[], eventId: string][],
		others: unknown[],
	]
>([
	[
		"redis",
		createRedis,
		[
			["a claim", [["acquired", 7, 1]], "evt_1"],
			[
				"a claim of a copy",
				[
					["bound", "=default:evt_0"],
					["acquired", 7, 1],
				],
				"evt_0",
			],
		],
		[["in_flight", 5], ["done"], "nonsense", lost],
	],
	[
		"redis in two steps",
		(server) => createRedis(server, false),
		[
			["a claim", ["=default:evt_1", ["acquired", 7, 1]], "evt_1"],
			["a claim of a copy", ["=default:evt_0", ["acquired", 7, 1]], "evt_0"],
		],
		["nonsense", lost],
	],
	[
		"postgres",
		createPostgres,
		[
			["a claim", [[{ ...bound("evt_1"), ...claimed, is_done: false }]], "evt_1"],
			["a claim of a copy", [[{ ...bound("evt_0"), ...claimed, is_done: false }]], "evt_0"],
		],
		SQL_OTHERS,
	],
	[
		"a client of SQLite",
		createSqlite,
		[
			[
				"a claim of a copy",
				[
					[
						{ bound_key: null, token: 7, attempt: 1, is_done: 0 },
						{ ...bound("evt_0"), ...free, is_done: 0 },
					],
				],
				"evt_0",
			],
		],
		SQL_OTHERS,
	],
])("%s", (_name, createStore, acquired, others) => {
	test.each(acquired)("releases what %s got too late, unused", async (_title, replies, eventId) => {
		const requests = await deliverTooLate(createStore, replies);
		const [released, ...more] = requests.slice(replies.length);
		expect(released?.text).toContain("'free");
		expect(released?.values.map(String)).toEqual([
			expect.stringMatching(new RegExp(`event:default:${eventId}$`)),
			"7",
			"1",
		]);
		expect(more).toEqual([]);
	});

	test.each(others)("lets nothing go after %o", async (reply) => {
		const requests = await deliverTooLate(createStore, [reply]);
		expect(requests).toHaveLength(1);
	});
});

test("dynamodb releases what a claim got too late, unused", async () => {
	const clock = createCountingClock(signedAt * 1000);
	const table = new DynamodbTable();
	const { promise: sent, resolve: send } = Promise.withResolvers<void>();
	const store = dynamodbStore(
		{
			getItem: (input) => table.getItem(input),
			putItem: (input) => sent.then(() => table.putItem(input)),
		},
		{ clock },
	);
	const response = createReceiver({ clock, store, storeTimeoutMs: STORE_TIMEOUT_MS }).send();
	await clock.advance(STORE_TIMEOUT_MS);
	expect((await response).status).toBe(503);
	send();
	await expect.poll(() => table.items.get("event:default:evt_1")?.["state"]?.S).toBe("free");
	const found = await store.claim("default:evt_1", { leaseMs: 1_000, retentionMs: 1_000 });
	expect(found).toMatchObject({ status: "acquired", attempt: 1 });
});
