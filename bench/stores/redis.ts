import { mock } from "node:test";
import { Redis } from "ioredis";
import { fromIoredis, fromNodeRedis, type RedisScripting, redisStore } from "messaging-gateway/stores/redis";
import { createClient } from "redis";
import manifest from "../../package.json" with { type: "json" };
import { startRedis } from "../../test/support/servers/redis-server.ts";
import type { AtEnd } from "../cases.ts";
import type { OpenSubject, Subject } from "./subject.ts";

const { ioredis, redis } = manifest.devDependencies;

/** The server's settings, and what they mean for an acknowledged write. */
const PERSISTENCE = {
	none: { setting: "no", means: "in memory only" },
	everysec: { setting: "yes everysec", means: "appendfsync everysec" },
	always: { setting: "yes always", means: "appendfsync always" },
} as const;

interface Server {
	readonly url: string;
	readonly description: string;
}

/** Starts a server that logs as is asked for, and checks that it does. */
export async function startServer(atEnd: AtEnd, persistence: keyof typeof PERSISTENCE): Promise<Server> {
	const server = await startRedis({ durable: persistence === "always" });
	atEnd(() => server[Symbol.asyncDispose]());
	const client = await createClient({ url: server.url }).connect();
	if (persistence === "everysec") await client.configSet({ appendfsync: "everysec", appendonly: "yes" });
	const [, version] = /redis_version:(\S+)/.exec(await client.info("server")) ?? [];
	const { appendonly, appendfsync } = await client.configGet("append*");
	client.destroy();
	const { setting, means } = PERSISTENCE[persistence];
	if (!`${appendonly} ${appendfsync}`.startsWith(setting)) {
		throw new Error(`the server does not have the settings of ${persistence}`);
	}
	return { url: server.url, description: `Redis ${version}, ${means}` };
}

/** The store with the client `redis`. */
export function openNodeRedis(persistence: keyof typeof PERSISTENCE): OpenSubject {
	return async (atEnd) => {
		const { url, description } = await startServer(atEnd, persistence);
		const client = await createClient({ url, disableOfflineQueue: true }).connect();
		atEnd(() => client.destroy());
		// A rewrite of the log takes a core for seconds, which would slow down the next round.
		await client.configSet("auto-aof-rewrite-percentage", "0");
		return createSubject(fromNodeRedis(client), {
			server: description,
			client: `redis ${redis}, 1 connection`,
			write: (key, value, condition, lifeMs) =>
				client.set(key, value, { condition, expiration: { type: "PX", value: lifeMs } }),
			flush: () => client.flushAll("SYNC"),
			readMemory: () => client.info("memory"),
		});
	};
}

/** The store with the client `ioredis`. */
export const openIoredis: OpenSubject = async (atEnd) => {
	const { url, description } = await startServer(atEnd, "none");
	const client = new Redis(url);
	atEnd(() => client.disconnect());
	return createSubject(fromIoredis(client), {
		server: description,
		client: `ioredis ${ioredis}, 1 connection`,
		write: (key, value, condition, lifeMs) =>
			condition === "NX"
				? client.set(key, value, "PX", lifeMs, "NX")
				: client.set(key, value, "PX", lifeMs, "XX"),
		flush: () => client.flushall("SYNC"),
		readMemory: () => client.info("memory"),
	});
};

interface Commands extends Pick<Subject, "server" | "client">, Pick<NonNullable<Subject["raw"]>, "write"> {
	flush(): Promise<unknown>;
	readMemory(): Promise<string>;
}

function createSubject(
	scripting: Required<RedisScripting>,
	{ write, flush, readMemory, ...described }: Commands,
): Subject {
	return {
		...described,
		creator: "redisStore",
		store: redisStore(scripting),
		raw: { name: "SET NX PX, SET XX PX", write: (key, ...rest) => write(`raw:${key}`, ...rest) },
		async reset() {
			await flush();
		},
		async measureSizes() {
			const memory = await readMemory();
			const read = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, "m").exec(memory)?.[1]);
			// The buffers of a connection swell while keys are loaded, and are not what is stored.
			return { total: read("used_memory") - read("mem_clients_normal") };
		},
		spyOnClient: () => [mock.method(scripting, "eval"), mock.method(scripting, "evalSha")],
	};
}
