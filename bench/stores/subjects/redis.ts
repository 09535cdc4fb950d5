import { Redis } from "ioredis";
import { fromIoredis, fromNodeRedis, type RedisScripting, redisStore } from "messaging-gateway/stores/redis";
import { createClient } from "redis";
import { startRedis } from "../../../test/support/servers/redis-server.ts";
import type { AtEnd } from "../../at-end.ts";
import { CallCounter, type RawSteps, type Sizes, type Subject } from "../subject.ts";
import { BINDING_MS, RETENTION_MS } from "../times.ts";
import { withVersion } from "../versions.ts";

/** When a write is on disk. */
type Persistence = "none" | "everysec" | "always";

const SAFETY: Readonly<Record<Persistence, string>> = {
	none: "in memory only",
	everysec: "appendfsync everysec",
	always: "appendfsync always",
};

/** Written in place of the store's record, with the same length. */
const HELD = "held 1767225600000 1 1767225660000";
const DONE = "done 1767225600000 1 0";

/** The store on a server that keeps nothing on disk, with both clients. */
export async function openRedis(atEnd: AtEnd): Promise<Subject[]> {
	const server = await startServer(atEnd, "none");
	return [
		await nodeRedisSubject(atEnd, "redis", server),
		await ioredisSubject(atEnd, "redis, ioredis", server),
	];
}

/** The store on a server that logs every change, and has it on disk within a second. */
export async function openRedisEverySecond(atEnd: AtEnd): Promise<Subject[]> {
	return [await nodeRedisSubject(atEnd, "redis, everysec", await startServer(atEnd, "everysec"))];
}

/** The store on a server that has every change on disk before it responds. */
export async function openRedisAlways(atEnd: AtEnd): Promise<Subject[]> {
	return [await nodeRedisSubject(atEnd, "redis, always", await startServer(atEnd, "always"))];
}

interface Server {
	readonly url: string;
	readonly description: string;
}

async function startServer(atEnd: AtEnd, persistence: Persistence): Promise<Server> {
	const running = await startRedis({ durable: persistence === "always" });
	atEnd(() => running[Symbol.asyncDispose]());
	const { url } = running;
	const client = await createClient({ url }).connect();
	if (persistence === "everysec") await client.configSet({ appendfsync: "everysec", appendonly: "yes" });
	// A rewrite of the log takes a core for seconds, which would slow down the next round.
	await client.configSet("auto-aof-rewrite-percentage", "0");
	const [, version] = /redis_version:(\S+)/.exec(await client.info("server")) ?? [];
	const { appendonly, appendfsync } = await client.configGet("append*");
	client.destroy();
	const expected = persistence === "none" ? "no" : "yes";
	if (appendonly !== expected || (persistence !== "none" && appendfsync !== persistence)) {
		throw new Error(`the server does not have the settings of ${persistence}`);
	}
	return { url, description: `Redis ${version}, ${SAFETY[persistence]}` };
}

async function nodeRedisSubject(atEnd: AtEnd, name: string, server: Server): Promise<Subject> {
	const client = await createClient({ url: server.url, disableOfflineQueue: true }).connect();
	atEnd(() => client.destroy());
	const raw: RawSteps = {
		claim: (key) => client.set(`raw:${key}`, HELD, { condition: "NX", expiration: px(RETENTION_MS) }),
		complete: (key) => client.set(`raw:${key}`, DONE, { condition: "XX", expiration: px(RETENTION_MS) }),
		bind: (digest, eventId) =>
			client.set(`raw:${digest}`, eventId, { condition: "NX", expiration: px(BINDING_MS) }),
	};
	return createSubject(name, server, `${withVersion("redis")}, 1 connection`, fromNodeRedis(client), raw, {
		flush: () => client.flushAll("SYNC"),
		readMemory: () => client.info("memory"),
	});
}

function px(value: number): { type: "PX"; value: number } {
	return { type: "PX", value };
}

async function ioredisSubject(atEnd: AtEnd, name: string, server: Server): Promise<Subject> {
	const client = new Redis(server.url);
	atEnd(() => client.disconnect());
	const raw: RawSteps = {
		claim: (key) => client.set(`raw:${key}`, HELD, "PX", RETENTION_MS, "NX"),
		complete: (key) => client.set(`raw:${key}`, DONE, "PX", RETENTION_MS, "XX"),
		bind: (digest, eventId) => client.set(`raw:${digest}`, eventId, "PX", BINDING_MS, "NX"),
	};
	return createSubject(name, server, `${withVersion("ioredis")}, 1 connection`, fromIoredis(client), raw, {
		flush: () => client.flushall("SYNC"),
		readMemory: () => client.info("memory"),
	});
}

function createSubject(
	name: string,
	server: Server,
	client: string,
	scripting: Required<RedisScripting>,
	raw: RawSteps,
	commands: { flush(): Promise<unknown>; readMemory(): Promise<string> },
): Subject {
	const counter = new CallCounter();
	const store = redisStore({
		eval(script, keys, args) {
			counter.note();
			return scripting.eval(script, keys, args);
		},
		evalSha(sha1, keys, args) {
			counter.note();
			return scripting.evalSha(sha1, keys, args);
		},
	});
	return {
		name,
		server: server.description,
		client,
		store,
		raw,
		async reset() {
			await commands.flush();
		},
		async measureSizes(): Promise<Sizes> {
			const memory = await commands.readMemory();
			// The buffers of a connection swell while keys are loaded, and are not what is stored.
			return { total: read(memory, "used_memory") - read(memory, "mem_clients_normal") };
		},
		countCalls: counter.countCalls,
	};
}

function read(info: string, field: string): number {
	return Number(new RegExp(`^${field}:(\\d+)`, "m").exec(info)?.[1]);
}
