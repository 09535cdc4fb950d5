import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Redis } from "ioredis";
import { postgresStore } from "messaging-gateway/stores/postgres";
import { fromIoredis, fromNodeRedis, redisStore, type SharedStore } from "messaging-gateway/stores/redis";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { Pool } from "pg";
import { createClient } from "redis";
import { describe, expect, test } from "vitest";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { startPostgres } from "../support/servers/postgres-server.ts";
import { startRedis } from "../support/servers/redis-server.ts";

/** A separate client, stores over it, and the way to close it. */
interface Connected {
	createStore(timeoutMs: number): SharedStore;
	close(): unknown;
}

/** For calls that must fail: it is over soon. */
const IMPATIENT_MS = 50;

/** Nothing waits for a connection. */
function connectNodeRedis(url: string, disableOfflineQueue: boolean): Connected {
	const client = createClient({ url, disableOfflineQueue }).on("error", () => undefined);
	client.connect().catch(() => undefined);
	const createStore = (timeoutMs: number) => redisStore(fromNodeRedis(client), { timeoutMs });
	return { createStore, close: () => client.destroy() };
}

function connectIoredis(url: string, enableOfflineQueue: boolean): Connected {
	const client = new Redis(url, { enableOfflineQueue }).on("error", () => undefined);
	const createStore = (timeoutMs: number) => redisStore(fromIoredis(client), { timeoutMs });
	return { createStore, close: () => client.disconnect() };
}

function connectPg(url: string): Connected {
	const pool = new Pool({ connectionString: url }).on("error", () => undefined);
	return { createStore: (timeoutMs) => postgresStore(pool, { timeoutMs }), close: () => pool.end() };
}

async function startPreparedPostgres() {
	const server = await startPostgres();
	const pool = new Pool({ connectionString: server.url });
	await postgresStore(pool).createTable();
	await pool.end();
	return server;
}

/** Each client with its server, and how its URLs begin. */
const CLIENTS = [
	["redis", (url: string) => connectNodeRedis(url, true), startRedis, "redis://"],
	["redis and its offline queue", (url: string) => connectNodeRedis(url, false), startRedis, "redis://"],
	["ioredis", (url: string) => connectIoredis(url, false), startRedis, "redis://"],
	["ioredis and its offline queue", (url: string) => connectIoredis(url, true), startRedis, "redis://"],
	["pg", connectPg, startPreparedPostgres, "postgres://user@"],
] as const;

describe.each(CLIENTS)("with %s", (_name, connect, startServer, scheme) => {
	test("a server that is down gives 503, and the process goes on when it is back", async () => {
		await using server = await startServer();
		const { createStore, close } = connect(server.url);
		const handled: string[] = [];
		const hints: string[] = [];
		const createDeliver = (timeoutMs: number) => {
			const webhooks = createWebhookHandler({
				secret: "local-webhook-secret",
				store: createStore(timeoutMs),
				// It is the store that gives up: the handler would wait for longer than the test.
				storeTimeoutMs: PROCESS_LIFE_MS,
				on: { status: ({ eventId }) => handled.push(eventId), unknown: () => undefined },
				onError: (_error, { hint }) => hints.push(hint),
			});
			return async (eventId: string): Promise<number> =>
				(await webhooks.fetch(createWebhookRequest("status", {}, { eventId }))).status;
		};
		const deliver = createDeliver(PROCESS_LIFE_MS);

		await expect.poll(() => deliver("evt_1")).toBe(200);
		await server.stop();
		const deliverInVain = createDeliver(IMPATIENT_MS);
		for (let attempt = 0; attempt < 3; attempt++) expect(await deliverInVain("evt_2")).toBe(503);
		expect(hints.at(-1)).toContain("the store failed: ");
		expect(handled).toEqual(["evt_1"]);
		await server.start();
		await expect.poll(() => deliver("evt_2")).toBe(200);
		expect(await deliver("evt_2")).toBe(200);
		expect(handled).toEqual(["evt_1", "evt_2"]);
		await close();
	});

	test("a server that accepts the connection and sends nothing is not waited for", async () => {
		const sockets: Socket[] = [];
		const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
		await once(silent, "listening");
		const { port } = silent.address() as AddressInfo;
		const { createStore, close } = connect(`${scheme}127.0.0.1:${port}`);
		const store = createStore(IMPATIENT_MS);
		const times = { leaseMs: 1_000, retentionMs: 1_000 };
		const calls = [
			store.claim("a", times),
			store.extend("a", 1, 1_000),
			store.complete("a", 1, 1_000),
			store.release("a", 1),
			store.bind("a", "evt_1", 1_000),
			store.remember("a", 1_000),
		];
		const settled = await Promise.allSettled(calls);
		expect(settled.map(({ status }) => status)).toEqual(calls.map(() => "rejected"));
		for (const socket of sockets) socket.destroy();
		silent.close();
		await close();
	});
});
