import { mock } from "node:test";
import { Redis } from "ioredis";
import { fromIoredis, fromNodeRedis, type RedisScripting, redisStore } from "messaging-gateway/stores/redis";
import { createClient } from "redis";
import { startRedis } from "../../test/support/servers/redis-server.ts";
import type { AtEnd } from "../cases.ts";
import type { OpenSubject, Subject } from "./subject.ts";

/** The server's settings, and what they mean for an acknowledged write. */
const PERSISTENCE = {
	none: { setting: "no", means: "in memory only" },
	everysec: { setting: "yes everysec", means: "appendfsync everysec" },
	always: { setting: "yes always", means: "appendfsync always" },
} as const;

/** Starts a server that logs as is asked for, and checks that it does. @returns its address, and what it is. */
export async function startServer(
	atEnd: AtEnd,
	persistence: keyof typeof PERSISTENCE,
): Promise<[url: string, name: string]> {
	const server = await startRedis({ durable: persistence === "always" });
	atEnd(() => server[Symbol.asyncDispose]());
	const client = await createClient({ url: server.url }).connect();
	if (persistence === "everysec") await client.configSet({ appendfsync: "everysec", appendonly: "yes" });
	// A rewrite of the log takes a core for seconds, which would slow down the next round.
	await client.configSet("auto-aof-rewrite-percentage", "0");
	const [, version] = /redis_version:(\S+)/.exec(await client.info("server")) ?? [];
	const { appendonly, appendfsync } = await client.configGet("append*");
	client.destroy();
	const { setting, means } = PERSISTENCE[persistence];
	if (!`${appendonly} ${appendfsync}`.startsWith(setting)) {
		throw new Error(`the server does not have the settings of ${persistence}`);
	}
	return [server.url, `Redis ${version}, ${means}`];
}

/** The store with the client `redis`, on one connection. */
export function openNodeRedis(persistence: keyof typeof PERSISTENCE): OpenSubject {
	return async (atEnd) => {
		const [url, name] = await startServer(atEnd, persistence);
		const client = await createClient({ url, disableOfflineQueue: true }).connect();
		atEnd(() => client.destroy());
		return createSubject(name, fromNodeRedis(client), {
			write: (key, value, condition, lifeMs) =>
				client.set(`raw:${key}`, value, { condition, expiration: { type: "PX", value: lifeMs } }),
			reset: () => client.flushAll("SYNC"),
			readMemory: () => client.info("memory"),
		});
	};
}

/** The store with the client `ioredis`, on one connection. */
export const openIoredis: OpenSubject = async (atEnd) => {
	const [url, name] = await startServer(atEnd, "none");
	const client = new Redis(url);
	atEnd(() => client.disconnect());
	return createSubject(`${name}, ioredis`, fromIoredis(client), {
		write: (key, value, condition, lifeMs) =>
			condition === "NX"
				? client.set(`raw:${key}`, value, "PX", lifeMs, "NX")
				: client.set(`raw:${key}`, value, "PX", lifeMs, "XX"),
		reset: () => client.flushall("SYNC"),
		readMemory: () => client.info("memory"),
	});
};

function createSubject(
	name: string,
	scripting: Required<RedisScripting>,
	{ readMemory, ...commands }: Pick<Subject, "write" | "reset"> & { readMemory(): Promise<string> },
): Subject {
	return {
		kind: "Redis",
		name,
		store: redisStore(scripting),
		...commands,
		async measureSizes() {
			const memory = await readMemory();
			const read = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, "m").exec(memory)?.[1]);
			// The buffers of a connection swell while keys are loaded, and are not what is stored.
			return { "Redis: memory": read("used_memory") - read("mem_clients_normal") };
		},
		spyOnClient: () => [mock.method(scripting, "eval"), mock.method(scripting, "evalSha")],
	};
}
