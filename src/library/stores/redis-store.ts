import { assertAll, assertArgument, hasMethods, wrongArgument } from "../assert-argument.ts";
import { assertKnownKeys } from "../check-options.ts";
import { StoreError } from "../store-calls/store-error.ts";
import { createCallId } from "./call-id.ts";
import type { ClaimResult, ClaimState, ClaimTimes, DeliveryBinding, SharedStore } from "./event-store.ts";
import {
	BIND,
	BIND_AND_CLAIM,
	CLAIM,
	COMPLETE,
	EXTEND,
	RELEASE,
	REMEMBER,
	type RedisScript,
} from "./redis-scripts.ts";
import { REPLACED_STORE_OPTIONS } from "./replaced-options.ts";

/** Runs scripts on the Redis server that has their keys. */
export interface RedisScripting {
	/** Runs `EVAL`. */
	eval(script: string, keys: string[], args: string[]): Promise<unknown>;
	/**
	 * Runs `EVALSHA`, which names a script by its SHA-1 instead of sending it. A server that doesn't have the script
	 * replies with an error that starts with `NOSCRIPT`; then `eval` sends it. Without this method, every call sends
	 * the script.
	 */
	evalSha?(sha1: string, keys: string[], args: string[]): Promise<unknown>;
	/**
	 * Whether all keys are on one server, so a script may have two of them. Binding and claiming an event is then one
	 * round trip.
	 * @default false
	 */
	readonly oneServer?: boolean | undefined;
}

/** The part of a client or cluster of the package `redis` that the store uses. */
export interface NodeRedisClient {
	eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
	evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
	/** The nodes of a cluster, which only a cluster has. */
	readonly masters?: unknown;
	/** Whether `connect` was called. */
	readonly isOpen?: boolean | undefined;
	connect?(): Promise<unknown>;
	once?(event: "error", listener: (error: unknown) => void): unknown;
}

/** The part of a client or cluster of the package `ioredis` that the store uses. */
export interface IoredisClient {
	eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
	evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
	/** Whether it is a cluster. */
	readonly isCluster?: boolean | undefined;
	/** The state of the client: `"wait"` with `lazyConnect` before `connect` was called. */
	readonly status?: string | undefined;
	connect?(): Promise<unknown>;
	once?(event: "error", listener: (error: unknown) => void): unknown;
}

/** The options of {@link redisStore}. */
export interface RedisStoreOptions {
	/** The start of every key. @default "messaging-gateway:" */
	prefix?: string | undefined;
}

/**
 * Remembers events and nonces in Redis 6 or later, for any number of processes. Records expire by themselves. Each step
 * is one script, and runs on a cluster and over HTTP at the edge. Claiming an event with its delivery is one step if
 * one server has all keys.
 *
 * A Redis that evicts keys, or that loses its last writes when it fails, may forget that an event is done: set
 * `maxmemory-policy noeviction`, and `appendonly yes`.
 *
 * @param redis - {@link fromNodeRedis} and {@link fromIoredis} make it from a client or a cluster.
 * @throws ConfigurationError if it is something else, such as a URL or the client itself, or an option is invalid.
 * @example
 * ```ts
 * const client = createClient({ url: process.env.REDIS_URL, disableOfflineQueue: true });
 * client.on("error", (error) => console.error(error.message));
 * const store = redisStore(fromNodeRedis(client));
 * ```
 */
export function redisStore(redis: RedisScripting, options: RedisStoreOptions = {}): SharedStore {
	// Every client has `eval`, too, with other parameters; an adapter cannot be duplicated.
	assertAll([
		() => {
			if (!hasMethods(redis, ["eval"]) || hasMethods(redis, ["duplicate"]))
				throw wrongArgument(
					"redisStore",
					"a client in its adapter, fromNodeRedis or fromIoredis",
					"fromNodeRedis(client)",
					redis,
				);
		},
		() => assertKnownKeys("redisStore options", options, ["prefix"], REPLACED_STORE_OPTIONS),
	]);
	const { prefix = "messaging-gateway:" } = options;

	/** Redis counts in whole milliseconds. */
	const run = (script: RedisScript, keys: string[], ...args: (string | number)[]): Promise<unknown> => {
		const strings = args.map((arg) => (typeof arg === "number" ? String(Math.ceil(arg)) : arg));
		return runScript(
			redis,
			script,
			keys.map((key) => prefix + key),
			strings,
		);
	};
	/** Whether a script may have the keys of a delivery and of its event. */
	let canCombine = redis.oneServer === true;

	async function claim(key: string, { leaseMs, retentionMs }: ClaimTimes): Promise<ClaimState> {
		return toClaimState(await run(CLAIM, [`event:${key}`], leaseMs, retentionMs, createCallId()));
	}

	/** Binds a delivery, and claims its event if it is the given one. @returns `undefined` if nothing was done. */
	async function bindAndClaim(
		key: string,
		{ leaseMs, retentionMs }: ClaimTimes,
		{ digest, ttlMs }: DeliveryBinding,
	): Promise<BindReply | undefined> {
		try {
			const keys = [`delivery:${digest}`, `event:${key}`];
			return toBound(await run(BIND_AND_CLAIM, keys, key, ttlMs, leaseMs, retentionMs, createCallId()));
		} catch (error) {
			if (!isCrossSlot(error)) throw error;
			canCombine = false;
			return undefined;
		}
	}

	async function bind(key: string, { digest, ttlMs }: DeliveryBinding): Promise<string> {
		return toBoundKey(await run(BIND, [`delivery:${digest}`], key, ttlMs));
	}

	return {
		async claim(key, times, binding): Promise<ClaimResult> {
			if (binding === undefined) return claim(key, times);
			const bound = canCombine ? await bindAndClaim(key, times, binding) : undefined;
			if (bound?.claim !== undefined) return bound.claim;
			const boundKey = bound?.boundKey ?? (await bind(key, binding));
			const claimed = await claim(boundKey, times);
			return boundKey === key ? claimed : { ...claimed, boundKey };
		},
		async extend(key, token, leaseMs) {
			return isOne(await run(EXTEND, [`event:${key}`], token, leaseMs));
		},
		async complete(key, token, retentionMs) {
			return isOne(await run(COMPLETE, [`event:${key}`], token, retentionMs));
		},
		async release(key, token, { unused = false } = {}) {
			return isOne(await run(RELEASE, [`event:${key}`], token, unused ? 1 : 0));
		},
		async remember(key, ttlMs) {
			return isOne(await run(REMEMBER, [`nonce:${key}`], ttlMs, createCallId()));
		},
	};
}

async function runScript(
	redis: RedisScripting,
	{ text, sha1 }: RedisScript,
	keys: string[],
	args: string[],
): Promise<unknown> {
	try {
		if (redis.evalSha !== undefined) return await redis.evalSha(sha1, keys, args);
	} catch (error) {
		if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw explain(error);
	}
	try {
		return await redis.eval(text, keys, args);
	} catch (error) {
		throw explain(error);
	}
}

/** What to do about errors of the server. */
const FIXES: readonly (readonly [said: RegExp, sentence: string])[] = [
	[
		/\bREADONLY\b/,
		"Redis is a replica, which takes no writes: connect to the primary, through Sentinel or a cluster's client if it changes",
	],
	[/\bOOM\b/, "Redis is out of memory: raise maxmemory, and keep maxmemory-policy noeviction"],
];

/** A sentence of ours with what to do, if the error of the client is known. */
function explain(error: unknown): unknown {
	const message = error instanceof Error ? error.message : "";
	const sentence = FIXES.find(([said]) => said.test(message))?.[1];
	return sentence === undefined ? error : new StoreError(sentence, { cause: error });
}

/**
 * Adapts your client or cluster of the package `redis`, from version 4 on. It connects at the first use unless you
 * have. With `disableOfflineQueue: true` a delivery fails at once while the client is disconnected, and no command runs
 * late.
 */
export function fromNodeRedis(client: NodeRedisClient): Required<RedisScripting> {
	assertArgument(
		"fromNodeRedis",
		"a client of the package redis (for ioredis, use fromIoredis)",
		"createClient({ url })",
		client,
		["eval", "evalSha"],
	);
	const connected = connectOnce(client, () => client.isOpen === false);
	return {
		oneServer: client.masters === undefined,
		eval: (script, keys, args) => connected(() => client.eval(script, { keys, arguments: args })),
		evalSha: (sha1, keys, args) => connected(() => client.evalSha(sha1, { keys, arguments: args })),
	};
}

/**
 * Adapts your client or cluster of the package `ioredis`, from version 4 on. It connects at the first use if it has
 * `lazyConnect: true`. With `enableOfflineQueue: false` a delivery fails at once while the client is disconnected, and
 * no command runs late.
 */
export function fromIoredis(client: IoredisClient): Required<RedisScripting> {
	assertArgument(
		"fromIoredis",
		"a client of the package ioredis (for redis, use fromNodeRedis)",
		"new Redis(url)",
		client,
		["eval", "evalsha"],
	);
	const connected = connectOnce(client, () => client.status === "wait");
	return {
		oneServer: client.isCluster !== true,
		eval: (script, keys, args) => connected(() => client.eval(script, keys.length, ...keys, ...args)),
		evalSha: (sha1, keys, args) => connected(() => client.evalsha(sha1, keys.length, ...keys, ...args)),
	};
}

/** The part of a client that connects it. */
interface ConnectingClient {
	connect?(): Promise<unknown>;
	once?(event: "error", listener: (error: unknown) => void): unknown;
	off?(event: "error", listener: (error: unknown) => void): unknown;
}

/**
 * Calls a client once it is connected. The first call connects it unless somebody has begun to: one that was closed since
 * stays closed. Only a first attempt is waited for: then the client tries by itself, and calls fail as after any lost
 * connection. If it gives up, the next call connects it.
 */
function connectOnce(
	client: ConnectingClient,
	isUnused: () => boolean,
): (call: () => Promise<unknown>) => Promise<unknown> {
	let connecting: Promise<unknown> | undefined;

	function connect(): Promise<unknown> {
		return new Promise<unknown>((resolve) => {
			client.once?.("error", resolve);
			const end = (outcome: unknown): void => {
				// Later errors are for the application's own listener, or end the process.
				client.off?.("error", resolve);
				resolve(outcome);
			};
			(async () => client.connect?.())().then(end, (error: unknown) => {
				connecting = undefined;
				end(error);
			});
		});
	}

	return async (call) => {
		connecting ??= isUnused() ? connect() : Promise.resolve();
		await connecting;
		return call();
	};
}

/** Before a server of a cluster runs a script, it rejects keys of several slots. */
function isCrossSlot(error: unknown): boolean {
	return error instanceof Error && /\bCROSSSLOT\b/.test(error.message);
}

function isOne(reply: unknown): boolean {
	return Number(reply) === 1;
}

function toBoundKey(reply: unknown): string {
	if (typeof reply === "string" && reply.startsWith("=")) return reply.slice(1);
	throw unexpectedReply();
}

/** What a combined script did: it has claimed the event of the given key, or found that another one is bound. */
type BindReply =
	| { readonly claim: ClaimState; readonly boundKey?: undefined }
	| { readonly claim?: undefined; readonly boundKey: string };

function toBound(reply: unknown): BindReply {
	const [status, boundKey] = Array.isArray(reply) ? reply : [];
	return status === "bound" ? { boundKey: toBoundKey(boundKey) } : { claim: toClaimState(reply) };
}

function toClaimState(reply: unknown): ClaimState {
	const [status, ...numbers] = Array.isArray(reply) ? reply : [];
	const [first, second] = numbers.map(Number);
	if (status === "done") return { status };
	if (status === "in_flight" && first !== undefined) return { status, retryAfterMs: first };
	if (status === "acquired" && first !== undefined && second !== undefined) {
		return { status, token: first, attempt: second };
	}
	throw unexpectedReply();
}

function unexpectedReply(): Error {
	return new StoreError(
		"your client changes the types of replies, so they can't be read. Pass a client with the default types",
	);
}
