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
import { startPostgres } from "../support/servers/postgres-server.ts";
import { startRedis } from "../support/servers/redis-server.ts";

/** A store over a client of its own, and the way to let that go. */
interface Connected {
	readonly store: SharedStore;
	close(): unknown;
}

const TIMEOUT_MS = 500;

/** Nothing waits for a connection. */
function connectNodeRedis(url: string, disableOfflineQueue: boolean): Connected {
	const client = createClient({ url, disableOfflineQueue }).on("error", () => undefined);
	client.connect().catch(() => undefined);
	const store = redisStore(fromNodeRedis(client), { timeoutMs: TIMEOUT_MS });
	return { store, close: () => client.destroy() };
}

function connectIoredis(url: string, enableOfflineQueue: boolean): Connected {
	const client = new Redis(url, { enableOfflineQueue }).on("error", () => undefined);
	const store = redisStore(fromIoredis(client), { timeoutMs: TIMEOUT_MS });
	return { store, close: () => client.disconnect() };
}

function connectPg(url: string): Connected {
	const pool = new Pool({ connectionString: url }).on("error", () => undefined);
	return { store: postgresStore(pool, { timeoutMs: TIMEOUT_MS }), close: () => pool.end() };
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
		const { store, close } = connect(server.url);
		const handled: string[] = [];
		const hints: string[] = [];
		const webhooks = createWebhookHandler({
			secret: "local-webhook-secret",
			store,
			on: { status: ({ eventId }) => handled.push(eventId), unknown: () => undefined },
			onError: (_error, { hint }) => hints.push(hint),
		});
		const deliver = async (eventId: string): Promise<number> =>
			(await webhooks.fetch(createWebhookRequest("status", {}, { eventId }))).status;

		await expect.poll(() => deliver("evt_1"), { timeout: 10_000 }).toBe(200);
		await server.stop();
		for (let attempt = 0; attempt < 3; attempt++) {
			const startedAt = performance.now();
			expect(await deliver("evt_2")).toBe(503);
			expect(performance.now() - startedAt).toBeLessThan(5_000);
		}
		expect(hints.at(-1)).toContain("the store did not answer");
		expect(handled).toEqual(["evt_1"]);
		await server.start();
		await expect.poll(() => deliver("evt_2"), { timeout: 20_000 }).toBe(200);
		expect(await deliver("evt_2")).toBe(200);
		expect(handled).toEqual(["evt_1", "evt_2"]);
		await close();
	}, 60_000);

	test("a server that takes the connection and says nothing is not waited for", async () => {
		const sockets: Socket[] = [];
		const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
		await once(silent, "listening");
		const { port } = silent.address() as AddressInfo;
		const { store, close } = connect(`${scheme}127.0.0.1:${port}`);
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
	}, 20_000);
});
