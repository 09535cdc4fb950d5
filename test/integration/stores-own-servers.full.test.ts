import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster, Redis } from "ioredis";
import { postgresStore } from "messaging-gateway/stores/postgres";
import {
	fromIoredis,
	fromNodeRedis,
	type IoredisClient,
	type NodeRedisClient,
	type RedisScripting,
	redisStore,
} from "messaging-gateway/stores/redis";
import { sqliteStore } from "messaging-gateway/stores/sqlite";
import { Pool } from "pg";
import { createClient, createCluster } from "redis";
import { describe, expect, onTestFinished, test } from "vitest";
import { acquire, LEASE_MS, RETENTION_MS } from "../support/claims.ts";
import { startRedis } from "../support/servers/redis-server.ts";
import { share } from "../support/shared/shared.ts";
import { testRealLease } from "./support/real-lease.ts";
import { startRedisCluster } from "./support/servers/redis-cluster.ts";
import { takeTurns } from "./support/shared-store-suite.ts";

const TIMES = { leaseMs: LEASE_MS, retentionMs: RETENTION_MS };

describe("PostgreSQL", () => {
	testRealLease(async () => {
		const pool = new Pool({ connectionString: (await share("postgres")).url });
		onTestFinished(() => pool.end());
		const store = postgresStore(pool);
		await store.createTable();
		return store;
	});
});

describe("Redis", () => {
	testRealLease(async () => {
		const redis = new Redis((await share("redis")).url);
		onTestFinished(() => redis.disconnect());
		return redisStore(fromIoredis(redis));
	});
});

describe("SQLite", () => {
	testRealLease(async () => {
		const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-sqlite-"));
		const store = sqliteStore({ path: join(folder, "records.db") });
		onTestFinished(() => {
			store.close();
			rmSync(folder, { recursive: true });
		});
		return store;
	});
});

test.each([
	["redis", (client: NodeRedisClient) => fromNodeRedis(client)],
	["ioredis", (_: NodeRedisClient, client: IoredisClient) => fromIoredis(client)],
])("%s sends a script once, and again when the server has lost it", async (_name, adapt) => {
	await using server = await startRedis();
	const [ofNodeRedis, ofIoredis] = [await createClient({ url: server.url }).connect(), new Redis(server.url)];
	const scripting = adapt(ofNodeRedis, ofIoredis);
	const sent: string[] = [];
	const noted: Required<RedisScripting> = {
		...scripting,
		eval(script, keys, args) {
			sent.push(script);
			return scripting.eval(script, keys, args);
		},
	};
	const [store, ofCluster] = [redisStore(noted), redisStore({ ...noted, oneServer: false })];
	async function runEveryStep(key: string): Promise<void> {
		const { token } = await acquire(store, key);
		expect(await store.extend(key, token, LEASE_MS)).toBe(true);
		expect(await store.release(key, token)).toBe(true);
		expect(await store.complete(key, (await acquire(store, key)).token, RETENTION_MS)).toBe(true);
		expect(await store.remember(key, LEASE_MS)).toBe(true);
		for (const [name, each] of Object.entries({ store, ofCluster })) {
			const binding = { digest: `${name} ${key}`, ttlMs: LEASE_MS };
			expect(await each.claim(`${name} ${key}`, TIMES, binding)).toMatchObject({ status: "acquired" });
		}
	}

	await runEveryStep("first");
	expect(new Set(sent).size).toBe(7);
	await runEveryStep("second");
	expect(sent.length).toBe(7);
	await ofIoredis.script("FLUSH", "SYNC");
	await runEveryStep("third");
	expect(sent.length).toBe(14);
	ofIoredis.disconnect();
	ofNodeRedis.destroy();
});

test("on a cluster, every step of an event runs where its key is", async () => {
	await using cluster = await startRedisCluster();
	const ofNodeRedis = createCluster({
		rootNodes: cluster.nodes.map(({ host, port }) => ({ url: `redis://${host}:${port}` })),
	}).on("error", () => undefined);
	await ofNodeRedis.connect();
	const ofIoredis = new Cluster([...cluster.nodes]);
	const scriptings = [fromNodeRedis(ofNodeRedis), fromIoredis(ofIoredis)];
	expect(scriptings.map(({ oneServer }) => oneServer)).toEqual([false, false]);
	// Two of the four are not known to be clusters, as one behind a client of somebody's own.
	const store = takeTurns([
		...scriptings.map((scripting) => redisStore(scripting)),
		...scriptings.map((scripting) => redisStore({ ...scripting, oneServer: true })),
	]);
	for (let at = 0; at < 60; at++) {
		const key = `default:evt_${at}`;
		const { token } = await acquire(store, key);
		expect(await store.extend(key, token, LEASE_MS)).toBe(true);
		expect(await store.release(key, token)).toBe(true);
		const binding = { digest: `digest ${at}`, ttlMs: LEASE_MS };
		const second = await store.claim(key, TIMES, binding);
		expect(second).toMatchObject({ status: "acquired", attempt: 2 });
		const secondToken = second.status === "acquired" ? second.token : Number.NaN;
		expect(await store.complete(key, secondToken, RETENTION_MS)).toBe(true);
		expect(await store.remember(`app:${at}`, LEASE_MS)).toBe(true);
		expect(await store.claim(`other ${at}`, TIMES, binding)).toEqual({ status: "done", boundKey: key });
	}
	const sizes = await Promise.all(ofIoredis.nodes("master").map((node) => node.dbsize()));
	expect([sizes.length, Math.min(...sizes) > 0]).toEqual([3, true]);
	expect(sizes.reduce((sum, size) => sum + size)).toBe(180);
	ofIoredis.disconnect();
	ofNodeRedis.destroy();
});
