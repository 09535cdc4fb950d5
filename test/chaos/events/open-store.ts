import { Redis } from "ioredis";
import { postgresStore } from "messaging-gateway/stores/postgres";
import { fromIoredis, fromNodeRedis, type RedisScripting, redisStore } from "messaging-gateway/stores/redis";
import { sqliteStore } from "messaging-gateway/stores/sqlite";
import type { EventStore } from "messaging-gateway/webhooks";
import pg from "pg";
import { createClient } from "redis";
import type { StoreAddress } from "../servers.ts";
import { retry } from "../until.ts";

/** How soon a lost connection is tried again. */
const RECONNECT_MS = 100;

/** Opens the store, without waiting for its server. */
export async function openStore({ kind, address }: StoreAddress, worker: number): Promise<EventStore> {
	switch (kind) {
		case "redis":
			// Both clients at once, on one store.
			return redisStore(worker % 2 === 0 ? openNodeRedis(address) : openIoredis(address));
		case "postgres":
			return postgresStore(openPool(address));
		case "sqlite":
			// Opening blocks the whole process, so its time is short; the file may be locked at the moment.
			return retry(async () => sqliteStore({ path: address }));
	}
}

function openNodeRedis(url: string): RedisScripting {
	const socket = { connectTimeout: 1_000, reconnectStrategy: () => RECONNECT_MS };
	const client = createClient({ url, socket, disableOfflineQueue: true });
	client.on("error", () => undefined);
	client.connect().catch(() => undefined);
	return fromNodeRedis(client);
}

function openIoredis(url: string): RedisScripting {
	const client = new Redis(url, {
		connectTimeout: 1_000,
		retryStrategy: () => RECONNECT_MS,
		enableOfflineQueue: false,
	});
	client.on("error", () => undefined);
	return fromIoredis(client);
}

/** Opens a pool, without waiting for its server. */
export function openPool(connectionString: string): pg.Pool {
	const pool = new pg.Pool({ connectionString, max: 4, connectionTimeoutMillis: 1_000 });
	pool.on("error", () => undefined);
	return pool;
}
