import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Redis } from "ioredis";
import { signRequest, verifyRequest } from "messaging-gateway/signing";
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

/** A separate client, a store over it, and the way to close it. */
interface Connected {
	readonly store: SharedStore;
	close(): unknown;
}

/** For calls that must fail: it is over soon. */
const IMPATIENT_MS = 50;

/** Nothing waits for a connection. */
function connectNodeRedis(url: string, disableOfflineQueue: boolean): Connected {
	const client = createClient({ url, disableOfflineQueue }).on("error", () => undefined);
	client.connect().catch(() => undefined);
	return { store: redisStore(fromNodeRedis(client)), close: () => client.destroy() };
}

function connectIoredis(url: string, enableOfflineQueue: boolean): Connected {
	const client = new Redis(url, { enableOfflineQueue }).on("error", () => undefined);
	return { store: redisStore(fromIoredis(client)), close: () => client.disconnect() };
}

function connectPg(url: string): Connected {
	const pool = new Pool({ connectionString: url }).on("error", () => undefined);
	return { store: postgresStore(pool), close: () => pool.end() };
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
		const createDeliver = (storeTimeoutMs: number) => {
			const webhooks = createWebhookHandler({
				secret: "local-webhook-secret",
				store,
				storeTimeoutMs,
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
		expect(hints.at(-1)).toContain("The store failed: ");
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
		const { store, close } = connect(`${scheme}127.0.0.1:${port}`);
		const limit = { storeTimeoutMs: IMPATIENT_MS };
		const webhooks = createWebhookHandler({
			secret: "local-webhook-secret",
			store,
			...limit,
			on: { unknown: () => undefined },
			onError: () => undefined,
		});
		const { status } = await webhooks.fetch(createWebhookRequest("status"));
		expect(status).toBe(503);
		const url = "https://gateway.example/queue/status";
		const { headers } = signRequest({ method: "GET", url, appId: "app-1", appSecret: "secret" });
		const verifying = verifyRequest(
			{ method: "GET", url, headers: new Headers({ ...headers }), body: undefined },
			{
				secretFor: () => "secret",
				nonceStore: store,
				...limit,
			},
		);
		await expect(verifying).rejects.toMatchObject({ code: "nonce_store_unavailable", status: 503 });
		for (const socket of sockets) socket.destroy();
		silent.close();
		await close();
	});
});
