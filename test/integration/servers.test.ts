import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Cluster } from "ioredis";
import pg from "pg";
import { createClient } from "redis";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startPostgres } from "../support/servers/postgres-server.ts";
import { startRedisCluster } from "../support/servers/redis-cluster.ts";
import { askRedis, startRedis } from "../support/servers/redis-server.ts";

test.each(["SIGTERM", "SIGKILL"] as const)("a durable Redis keeps its data over %s", async (how) => {
	await using redis = await startRedis({ durable: true });
	const writer = await createClient({ url: redis.url })
		.on("error", () => undefined)
		.connect();
	await writer.set("key", "value");
	await redis.stop(how);
	writer.destroy();
	await redis.start();
	const reader = await createClient({ url: redis.url }).connect();
	expect(await reader.get("key")).toBe("value");
	reader.destroy();
});

test("a Redis that is not durable forgets its data, and a port that is free again", async () => {
	const redis = await startRedis();
	await askRedis(redis.port, "SET key value");
	await redis.stop();
	await redis.start();
	expect(await askRedis(redis.port, "GET key")).toMatch(/^\$-1/);
	await redis[Symbol.asyncDispose]();
	await expect(askRedis(redis.port, "PING")).rejects.toThrow("ECONNREFUSED");
});

test("a cluster has every slot on one of three masters", async () => {
	await using servers = await startRedisCluster();
	const cluster = new Cluster([...servers.nodes]);
	const keys = Array.from({ length: 30 }, (_, at) => `key${at}`);
	await Promise.all(keys.map((key) => cluster.set(key, key)));
	expect(await Promise.all(keys.map((key) => cluster.get(key)))).toEqual(keys);
	expect(cluster.nodes("master")).toHaveLength(3);
	cluster.disconnect();
});

test.each(["SIGINT", "SIGKILL"] as const)("PostgreSQL keeps its rows over %s", async (how) => {
	await using postgres = await startPostgres();
	const writer = new pg.Client(postgres.url).on("error", () => undefined);
	await writer.connect();
	await writer.query("CREATE TABLE words (word text)");
	await writer.query("INSERT INTO words VALUES ('kept')");
	await postgres.stop(how);
	await postgres.start();
	const reader = new pg.Client(postgres.url);
	await reader.connect();
	expect((await reader.query("SELECT word FROM words")).rows).toEqual([{ word: "kept" }]);
	expect((await reader.query("SHOW fsync")).rows).toEqual([{ fsync: "on" }]);
	await reader.end();
});

test.runIf(process.platform === "linux")(
	"a server dies with the process that started it, even by SIGKILL",
	async () => {
		const folder = mkdtempSync(join(tmpdir(), "starter-"));
		const helper = new URL("../support/servers/redis-server.ts", import.meta.url).href;
		const script = `import { startRedis } from "${helper}"; console.log((await startRedis()).port);`;
		const starter = spawn(process.execPath, ["--input-type=module", "-e", script], {
			env: { ...process.env, TMPDIR: folder },
			stdio: ["ignore", "pipe", "inherit"],
		});
		const [line] = await once(createInterface(starter.stdout), "line");
		expect(await askRedis(Number(line), "PING")).toMatch(/^\+PONG/);
		starter.kill("SIGKILL");
		await eventually(() => expect(askRedis(Number(line), "PING")).rejects.toThrow("ECONNREFUSED"));
		rmSync(folder, { recursive: true });
	},
);
