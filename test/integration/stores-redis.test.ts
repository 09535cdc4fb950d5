import { EventEmitter } from "node:events";
import { Redis } from "ioredis";
import { fromIoredis, fromNodeRedis, type RedisScripting, redisStore } from "messaging-gateway/stores/redis";
import { ConfigurationError } from "messaging-gateway/webhooks";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../support/catch-error.ts";
import { acquire, bind, LEASE_MS, RETENTION_MS } from "../support/claims.ts";
import { share } from "../support/shared/shared.ts";
import { takeTurns, testSentAgain, testSharedStore, watchTokens } from "./support/shared-store-suite.ts";

/** Makes the records under a prefix older: what is over goes, and what is left lives and is held for less. */
const AGE = `
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
	local left = redis.call('PTTL', key) - ARGV[2]
	local record = redis.call('GET', key)
	local head, leaseEndsAt, claimId = string.match(record, '^(%l+ %d+ %d+) (%d+)(.*)$')
	if left <= 0 then redis.call('DEL', key)
	elseif head then redis.call('SET', key, string.format('%s %.0f%s', head, math.max(0, leaseEndsAt - ARGV[2]), claimId), 'PX', left)
	else redis.call('PEXPIRE', key, left) end
end`;

const HOUR_MS = 3_600_000;

let url: string;
let nodeRedis: Awaited<ReturnType<typeof connect>>;
let ioredis: Redis;

function connect(url: string) {
	return createClient({ url })
		.on("error", () => undefined)
		.connect();
}

beforeAll(async () => {
	({ url } = await share("redis"));
	nodeRedis = await connect(url);
	ioredis = new Redis(url);
});

afterAll(async () => {
	ioredis.disconnect();
	nodeRedis.destroy();
});

/**
 * Resolves when the server's time is past a token. Tokens start at that time, and events that are claimed several times
 * in a millisecond are given tokens ahead of it: only a retention, of which records are made older here, makes up for it.
 */
async function untilTimeIsPast(token: number): Promise<void> {
	const read = () =>
		ioredis.eval("local t = redis.call('TIME'); return t[1] * 1000 + math.floor(t[2] / 1000)", 0);
	const before = Number(await read());
	while (Number(await read()) <= Math.max(token, before));
}

function createStores() {
	const prefix = `test ${crypto.randomUUID()}:`;
	const clients = [fromNodeRedis(nodeRedis), fromIoredis(ioredis)];
	return { prefix, store: takeTurns(clients.map((client) => redisStore(client, { prefix }))) };
}

testSharedStore(async () => {
	const { prefix, store: shared } = createStores();
	const { store, largestToken } = watchTokens(shared);
	const advance = async (ms: number) => {
		await untilTimeIsPast(largestToken());
		await ioredis.eval(AGE, 0, prefix, String(Math.ceil(ms)));
	};
	const loseRecords = async () => {
		await ioredis.eval(
			"for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do redis.call('DEL', key) end",
			0,
			prefix,
		);
		await untilTimeIsPast(largestToken());
	};
	return { store, advance, loseRecords };
});

describe("a client that nobody has connected", () => {
	const CLIENTS = [
		[
			"redis",
			(target: string) => {
				const client = createClient({ url: target, disableOfflineQueue: true }).on("error", () => undefined);
				return { scripting: fromNodeRedis(client), client, close: () => client.destroy() };
			},
		],
		[
			"ioredis",
			(target: string) => {
				const options = { enableOfflineQueue: false, lazyConnect: true };
				const client = new Redis(target, options).on("error", () => undefined);
				return { scripting: fromIoredis(client), client, close: () => client.disconnect() };
			},
		],
	] as const;

	test.each(CLIENTS)(
		"%s: is connected at the first use, for all calls that come meanwhile",
		async (_name, create) => {
			const { scripting, close } = create(url);
			const store = redisStore(scripting, { prefix: `test ${crypto.randomUUID()}:` });
			const remembered = Array.from({ length: 3 }, (_, at) => store.remember(`app:${at}`, LEASE_MS));
			expect(await Promise.all(remembered)).toEqual([true, true, true]);
			close();
			// It stays closed.
			await expect(store.remember("app:1", LEASE_MS)).rejects.toThrow();
		},
	);

	test.each(CLIENTS)("%s: fails at once while its server is down", async (_name, create) => {
		const { scripting, close } = create("redis://127.0.0.1:1");
		const store = redisStore(scripting);
		for (let call = 0; call < 2; call++) await expect(store.remember("app:1", LEASE_MS)).rejects.toThrow();
		close();
	});

	test.each([
		["redis", { isOpen: false }, fromNodeRedis],
		["ioredis", { status: "wait" }, fromIoredis],
	] as const)("%s: that gives up is connected again by the next call", async (_name, unused, adapt) => {
		const connect = vi.fn().mockRejectedValueOnce(new Error("refused")).mockResolvedValue(undefined);
		const run = vi.fn().mockRejectedValueOnce(new Error("closed")).mockResolvedValue(1);
		const client = { ...unused, connect, eval: run, evalSha: run, evalsha: run };
		const store = redisStore(adapt(client));
		await expect(store.remember("app:1", LEASE_MS)).rejects.toThrow("closed");
		expect([await store.remember("app:1", LEASE_MS), await store.remember("app:1", LEASE_MS)]).toEqual([
			true,
			true,
		]);
		expect(connect).toHaveBeenCalledTimes(2);
	});
});

test.each([
	["redis", { isOpen: false }, fromNodeRedis],
	["ioredis", { status: "wait" }, fromIoredis],
] as const)(
	"%s: a client that was connected keeps no listener of the store",
	async (_name, unused, adapt) => {
		const counts = [];
		for (const connect of [async () => undefined, async () => Promise.reject(new Error("refused"))]) {
			const run = async () => 1;
			const client = Object.assign(new EventEmitter(), {
				...unused,
				connect,
				eval: run,
				evalSha: run,
				evalsha: run,
			});
			const remembered = redisStore(adapt(client)).remember("app:1", LEASE_MS);
			counts.push(client.listenerCount("error"));
			await remembered;
			counts.push(client.listenerCount("error"));
		}
		expect(counts).toEqual([1, 0, 1, 0]);
	},
);

describe("what stands in Redis", () => {
	/** The time that a record has left, in full hours, and its value. */
	async function read(key: string): Promise<[hoursLeft: number, record: string | null]> {
		return [Math.ceil((await ioredis.pttl(key)) / HOUR_MS), await ioredis.get(key)];
	}

	test("every key has the prefix, its kind, and an end; no payload is in it", async () => {
		const { prefix, store } = createStores();
		const { token } = await acquire(store);
		const event = `${prefix}event:default:evt_1`;
		expect(await read(event)).toEqual([
			RETENTION_MS / HOUR_MS,
			expect.stringMatching(/^held \d{13} 1 \d{13} [0-9a-f-]{18}$/),
		]);
		await store.complete("default:evt_1", token, 2 * RETENTION_MS);
		expect(await read(event)).toEqual([(2 * RETENTION_MS) / HOUR_MS, `done ${token} 1 0`]);
		await bind(store, "digest", "default:evt_1", HOUR_MS);
		expect(await read(`${prefix}delivery:digest`)).toEqual([1, "default:evt_1"]);
		await store.remember("app:nonce", 2 * HOUR_MS);
		expect(await read(`${prefix}nonce:app:nonce`)).toEqual([2, expect.stringMatching(/^[0-9a-f-]{18}$/)]);
		expect((await ioredis.keys(`${prefix}*`)).length).toBe(3);
	});

	test("an extension beyond the retention keeps the record alive, a release keeps its end", async () => {
		const { prefix, store } = createStores();
		const { token } = await acquire(store);
		const event = `${prefix}event:default:evt_1`;
		await store.extend("default:evt_1", token, LEASE_MS);
		expect((await read(event))[0]).toBe(RETENTION_MS / HOUR_MS);
		await store.extend("default:evt_1", token, 3 * RETENTION_MS);
		expect((await read(event))[0]).toBe((3 * RETENTION_MS) / HOUR_MS);
		await store.release("default:evt_1", token);
		expect(await read(event)).toEqual([(3 * RETENTION_MS) / HOUR_MS, `free ${token} 1 0`]);
	});

	test("a key of somebody else's is an error, not a record", async () => {
		const { prefix, store } = createStores();
		await ioredis.set(`${prefix}event:default:evt_1`, "something else");
		await expect(acquire(store)).rejects.toThrow();
		await ioredis.lpush(`${prefix}event:default:evt_2`, "a list");
		await expect(acquire(store, "default:evt_2")).rejects.toThrow("WRONGTYPE");
	});

	test("the default prefix names the package", async () => {
		await redisStore(fromIoredis(ioredis)).remember("app:nonce", LEASE_MS);
		expect(await ioredis.pttl("messaging-gateway:nonce:app:nonce")).toBeGreaterThan(0);
	});
});

test("replies of RESP 3 and of clients that turn numbers into strings are understood", async () => {
	const modern = await createClient({ url, RESP: 3 }).connect();
	const textual: RedisScripting = {
		async eval(script, keys, args) {
			const reply = await ioredis.eval(script, keys.length, ...keys, ...args);
			return Array.isArray(reply) ? reply.map(String) : String(reply);
		},
	};
	for (const redis of [fromNodeRedis(modern), textual]) {
		const store = redisStore(redis, { prefix: `test ${crypto.randomUUID()}:` });
		const { token, attempt } = await acquire(store);
		expect([typeof token, attempt]).toEqual(["number", 1]);
		expect((await store.claim("default:evt_1", { leaseMs: 1, retentionMs: 1 })).status).toBe("in_flight");
		expect(await store.complete("default:evt_1", token, RETENTION_MS)).toBe(true);
		expect([await store.remember("a", LEASE_MS), await store.remember("a", LEASE_MS)]).toEqual([true, false]);
	}
	modern.destroy();
});

describe("binding and claiming at once", () => {
	const TIMES = { leaseMs: LEASE_MS, retentionMs: RETENTION_MS };
	const BINDING = { digest: "a", ttlMs: HOUR_MS };

	/** A store with a new prefix, and the numbers of keys of the scripts that it ran. */
	function createCounted(change: Partial<RedisScripting> = {}) {
		const scripting = fromIoredis(ioredis);
		const keyCounts: number[] = [];
		const counted: RedisScripting = {
			oneServer: scripting.oneServer,
			eval(script, keys, args) {
				keyCounts.push(keys.length);
				return scripting.eval(script, keys, args);
			},
			...change,
		};
		return { keyCounts, store: redisStore(counted, { prefix: `test ${crypto.randomUUID()}:` }) };
	}

	test("is one script over two keys, and a second one for a copy under another key", async () => {
		const { store, keyCounts } = createCounted();
		await store.claim("evt_1", TIMES, BINDING);
		await store.claim("evt_1", TIMES, BINDING);
		expect(keyCounts).toEqual([2, 2]);
		expect(await store.claim("evt_2", TIMES, BINDING)).toMatchObject({
			boundKey: "evt_1",
			status: "in_flight",
		});
		expect(keyCounts).toEqual([2, 2, 2, 1]);
	});

	test("is two scripts over one key where not one server is known to have all keys", async () => {
		const { store, keyCounts } = createCounted({ oneServer: undefined });
		const { status } = await store.claim("evt_1", TIMES, BINDING);
		expect([status, keyCounts]).toEqual(["acquired", [1, 1]]);
	});

	test.each([
		"CROSSSLOT Keys in request don't hash to the same slot",
		"ERR CROSSSLOT Keys in request don't hash to the same slot",
	])("is two scripts from then on where a server rejects two keys: %s", async (message) => {
		const inner = fromIoredis(ioredis);
		const keyCounts: number[] = [];
		const { store } = createCounted({
			eval: async (script, keys, args) => {
				keyCounts.push(keys.length);
				if (keys.length > 1) throw new Error(message);
				return inner.eval(script, keys, args);
			},
		});
		const first = await store.claim("evt_1", TIMES, BINDING);
		const second = await store.claim("evt_2", TIMES, BINDING);
		expect([first, second]).toMatchObject([
			{ status: "acquired" },
			{ status: "in_flight", boundKey: "evt_1" },
		]);
		expect(first.boundKey).toBeUndefined();
		expect(keyCounts).toEqual([2, 1, 1, 1, 1]);
	});

	test("fails with any other error, and is not tried in two steps", async () => {
		const evalOnce = vi.fn(() => Promise.reject(new Error("ERR no")));
		const { store } = createCounted({ eval: evalOnce });
		await expect(store.claim("evt_1", TIMES, BINDING)).rejects.toThrow("ERR no");
		expect(evalOnce).toHaveBeenCalledTimes(1);
	});

	test("is known of the clients of a single server", () => {
		expect([fromNodeRedis(nodeRedis).oneServer, fromIoredis(ioredis).oneServer]).toEqual([true, true]);
	});
});

test.each([true, false])("what a client sends again finds its own, on one server: %s", async (oneServer) => {
	const scripting = fromIoredis(ioredis);
	const sendTwice = async (send: () => Promise<unknown>): Promise<unknown> => {
		await send();
		return send();
	};
	await testSentAgain(
		redisStore(
			{
				oneServer,
				eval: (...given) => sendTwice(() => scripting.eval(...given)),
			},
			{ prefix: `test ${crypto.randomUUID()}:` },
		),
	);
});

test("any other error of EVALSHA is the store's, and nothing runs a second time", async () => {
	const store = redisStore({
		evalSha: () => Promise.reject(new Error("ERR no such thing")),
		eval: () => Promise.reject(new Error("it ran again")),
	});
	await expect(acquire(store)).rejects.toThrow("ERR no such thing");
});

test.each([
	[
		"READONLY You can't write against a read only replica.",
		"Redis is a replica, which takes no writes: connect to",
	],
	["READONLY You can't write against a read only replica. script: 0101", "Redis is a replica"],
	["OOM command not allowed when used memory > 'maxmemory'.", "Redis is out of memory: raise maxmemory"],
	["ERR Error running script: @user_script:1: OOM command not allowed", "Redis is out of memory"],
])("what the server says is a sentence with the fix: %s", async (message, sentence) => {
	const cause = new Error(message);
	const fail = () => Promise.reject(cause);
	for (const redis of [{ eval: fail }, { eval: fail, evalSha: fail }]) {
		const error = await catchRejection(acquire(redisStore(redis)));
		expect(error).toMatchObject({ name: "StoreError", message: expect.stringContaining(sentence), cause });
	}
});

test.each([[undefined], [null], ["OK"], [[]], [["acquired"]], [["in_flight"]], [{ status: "done" }]])(
	"a reply that is not the script's, %j, is an error",
	async (reply) => {
		const store = redisStore({ eval: async () => reply });
		await expect(acquire(store)).rejects.toThrow(
			"your client changes the types of replies, so they can't be read. Pass a client with the default types",
		);
		for (const oneServer of [true, false]) {
			const each = redisStore({ oneServer, eval: async () => reply });
			await expect(bind(each, "digest", "evt_1", 1)).rejects.toThrow(
				"your client changes the types of replies, so they can't be read. Pass a client with the default types",
			);
		}
	},
);

test.each([
	[{ timeoutMs: 50 }, '"timeoutMs" of redisStore: set storeTimeoutMs of the handler'],
	[{ keyPrefix: "a" }, '"keyPrefix" of redisStore. Did you mean "prefix"?'],
])("%j is a configuration error", (options, message) => {
	const error = catchError(() => redisStore({ eval: async () => null }, options as object));
	expect(error).toBeInstanceOf(ConfigurationError);
	expect(error).toHaveProperty("message", expect.stringContaining(message));
});
