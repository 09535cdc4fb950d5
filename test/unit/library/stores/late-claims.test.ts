import { dynamodbStore } from "messaging-gateway/stores/dynamodb";
import { postgresStore } from "messaging-gateway/stores/postgres";
import { redisStore } from "messaging-gateway/stores/redis";
import { sqliteClientStore } from "messaging-gateway/stores/sqlite-client";
import type { EventStore } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { type CountingClock, createCountingClock } from "../../../support/counting-clock.ts";
import { DynamodbTable } from "../../../support/dynamodb-table.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
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

const lost = new Error("the connection is lost");
const bound = (id: string) => ({ bound_key: `event:default:${id}` });
const claimed = { token: "7", attempt: 1 };
const free = { token: null, attempt: null };

type CreateStore = (server: Server) => EventStore;

/** A store, and what its server responds to the requests of a claim, too late. */
type Late = readonly [createStore: CreateStore, ...replies: unknown[]];

const redis: CreateStore = (server) => createRedis(server);
const redisInTwoSteps: CreateStore = (server) => createRedis(server, false);

/** What does not grant a claim, in SQL. */
const sqlWithoutClaim = (createStore: CreateStore): Readonly<Record<string, Late>> => ({
	"no row": [createStore, []],
	"no rows at all": [createStore, undefined],
	"a row that is null": [createStore, [null]],
	"an error": [createStore, lost],
	"an event that is done": [createStore, [{ ...bound("evt_1"), ...free, is_done: true }]],
});

const LATE: Outcomes<Late> = {
	"frees default:evt_1, token 7, attempt 1": {
		"a claim of Redis": [redis, ["acquired", 7, 1]],
		"a claim of Redis in two steps": [redisInTwoSteps, "=default:evt_1", ["acquired", 7, 1]],
		"a claim of Postgres": [createPostgres, [{ ...bound("evt_1"), ...claimed, is_done: false }]],
	},
	"frees default:evt_0, token 7, attempt 1": {
		"a claim of a copy of Redis": [redis, ["bound", "=default:evt_0"], ["acquired", 7, 1]],
		"a claim of a copy of Redis in two steps": [redisInTwoSteps, "=default:evt_0", ["acquired", 7, 1]],
		"a claim of a copy of Postgres": [createPostgres, [{ ...bound("evt_0"), ...claimed, is_done: false }]],
		"a claim of a copy of SQLite": [
			createSqlite,
			[
				{ bound_key: null, token: 7, attempt: 1, is_done: 0 },
				{ ...bound("evt_0"), ...free, is_done: 0 },
			],
		],
	},
	"frees nothing": {
		"an event of Redis that is in flight": [redis, ["in_flight", 5]],
		"an event of Redis that is done": [redis, ["done"]],
		"nonsense of Redis": [redis, "nonsense"],
		"an error of Redis": [redis, lost],
		"nonsense of Redis in two steps": [redisInTwoSteps, "nonsense"],
		"an error of Redis in two steps": [redisInTwoSteps, lost],
	},
};

const released = async ([createStore, ...replies]: Late): Promise<string> => {
	const requests = await deliverTooLate(createStore, replies);
	expect(requests.length).toBeGreaterThanOrEqual(replies.length);
	const releases = requests.slice(replies.length).map(({ text, values }) => {
		expect(text).toContain("'free");
		const [key, token, attempt, ...more] = values.map(String);
		expect(more).toEqual([]);
		return `${key?.replace(/^.*event:/, "")}, token ${token}, attempt ${attempt}`;
	});
	return `frees ${releases.join("; ") || "nothing"}`;
};

describe("a response to a claim that comes too late", () => {
	testOutcomes(LATE, released);

	describe("of Postgres", () => testOutcomes({ "frees nothing": sqlWithoutClaim(createPostgres) }, released));

	describe("of SQLite", () => testOutcomes({ "frees nothing": sqlWithoutClaim(createSqlite) }, released));
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
