import { assertKnownKeys, assertMethods, assertPositive } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { type Clock, monotonicNow, randomHex, systemClock } from "../runtime.ts";
import type { NonceStore } from "../signing/nonce-store.ts";
import { explainDynamodbError } from "./dynamodb-errors.ts";
import {
	conditionOf,
	type DynamodbGetInput,
	type DynamodbItem,
	type DynamodbPutInput,
	type DynamodbRecord,
	toItem,
	toRecord,
} from "./dynamodb-records.ts";
import type { BindingStore, ClaimResult } from "./event-store.ts";
import { releaseLate } from "./release-late.ts";
import { StoreError } from "./store-error.ts";
import { DEFAULT_TIMEOUT_MS, withTimeout } from "./with-timeout.ts";

/** What the store needs of a client. A `DynamoDB` of `@aws-sdk/client-dynamodb` has it. */
export interface DynamodbClient {
	getItem(input: DynamodbGetInput): Promise<{ readonly Item?: DynamodbItem | undefined }>;
	/** Rejects with an error named `ConditionalCheckFailedException`, which may have the `Item`, if the condition is false. */
	putItem(input: DynamodbPutInput): Promise<unknown>;
}

/** Options of {@link dynamodbStore}. */
export interface DynamodbStoreOptions {
	/** The table, whose only key is the string `key`. @default "messaging_gateway_records" */
	table?: string | undefined;
	/** The longest that one call may take, in milliseconds. @default 5_000 */
	timeoutMs?: number | undefined;
	/**
	 * The most that the clocks of two processes may differ, in milliseconds: DynamoDB has no clock that they share. A lease or
	 * a record ends this much later than asked for. @default 5_000
	 */
	maxClockSkewMs?: number | undefined;
	/** Where the time comes from. @default the system clock */
	clock?: Clock | undefined;
}

/** A store in a table of DynamoDB. */
export interface DynamodbStore extends BindingStore, NonceStore {}

/** A record to write, if there is one, and the result once it is written. */
interface Decision<Result> {
	readonly record?: DynamodbRecord;
	readonly result: Result;
}

/**
 * A store in a table of DynamoDB, for any number of processes that write to one region, such as functions on AWS Lambda.
 * The table's time to live removes what is over.
 *
 * @param client - a `DynamoDB` of `@aws-sdk/client-dynamodb`, or anything with the same `getItem` and `putItem`.
 * @throws ConfigurationError if the client or an option is invalid.
 * @example
 * ```ts
 * const store = dynamodbStore(new DynamoDB(), { table: process.env.TABLE_NAME });
 * ```
 */
export function dynamodbStore(client: DynamodbClient, options: DynamodbStoreOptions = {}): DynamodbStore {
	assertMethods("client", client ?? null, ["getItem", "putItem"]);
	assertKnownKeys("dynamodbStore options", options, ["table", "timeoutMs", "maxClockSkewMs", "clock"]);
	const { timeoutMs = DEFAULT_TIMEOUT_MS, maxClockSkewMs = 5_000, clock = systemClock } = options;
	const { table = "messaging_gateway_records" } = options;
	if (typeof table !== "string" || table === "") throw new ConfigurationError("table must name a table");
	assertPositive("timeoutMs", timeoutMs);
	if (!(Number.isFinite(maxClockSkewMs) && maxClockSkewMs >= 0))
		throw new ConfigurationError("maxClockSkewMs must be a number of at least 0");

	/** Whether a time is past on every clock. */
	const isPast = (time: number, now: number): boolean => time + maxClockSkewMs <= now;

	async function read(key: string): Promise<DynamodbRecord | undefined> {
		const { Item } = await client.getItem({
			TableName: table,
			Key: { key: { S: key } },
			ConsistentRead: true,
		});
		return Item && toRecord(Item, table);
	}

	/** Writes in the place of what was found. @returns what stands there instead if it has changed meanwhile. */
	async function replace(
		key: string,
		found: DynamodbRecord | undefined,
		record: DynamodbRecord,
	): Promise<{ found: DynamodbRecord | undefined } | undefined> {
		const revision = randomHex(16);
		// By then every clock is past the record's token, so the next token is larger.
		const removableAt = record.expires_at + 2 * maxClockSkewMs;
		try {
			await client.putItem({
				TableName: table,
				Item: toItem(key, { ...record, revision }, removableAt),
				...conditionOf(found),
				ReturnValuesOnConditionCheckFailure: "ALL_OLD",
			});
			return undefined;
		} catch (error) {
			if (!(error instanceof Error && error.name === "ConditionalCheckFailedException")) throw error;
			const item: DynamodbItem | undefined = Reflect.get(error, "Item");
			const current = item === undefined ? await read(key) : toRecord(item, table);
			// The client repeats a write whose response was lost: the condition fails on our own record then.
			return current?.revision === revision ? undefined : { found: current };
		}
	}

	/** Writes what is decided by what was found; decides again if that has changed meanwhile. */
	async function change<Result>(
		key: string,
		decide: (found: DynamodbRecord | undefined, now: number) => Decision<Result>,
		expected?: DynamodbRecord,
	): Promise<Result> {
		const startedAt = monotonicNow(clock);
		for (let found = expected; ; ) {
			const { record, result } = decide(found, clock.now());
			const changed = record && (await replace(key, found, record));
			if (changed === undefined) return result;
			// A process that stood still would decide for a caller that no longer waits.
			if (monotonicNow(clock) - startedAt >= timeoutMs)
				throw new StoreError(`no response within ${timeoutMs} ms`);
			found = changed.found;
		}
	}

	function limit<Result>(changing: Promise<Result>, onLate?: (result: Result) => void): Promise<Result> {
		const explained = changing.catch((error: unknown) => {
			throw explainDynamodbError(error, table);
		});
		return withTimeout(explained, timeoutMs, clock, onLate);
	}

	/** Changes an event that is in one of the states under the token. */
	function changeOwn(
		key: string,
		token: number,
		states: readonly string[],
		next: (found: DynamodbRecord, now: number) => DynamodbRecord,
		expected?: DynamodbRecord,
	): Promise<boolean> {
		return change(
			key,
			(found, now) =>
				found?.token === token && states.includes(found.state) && !isPast(found.expires_at, now)
					? { record: next(found, now), result: true }
					: { result: false },
			expected,
		);
	}

	/** Changes an event that is held under the token. */
	async function changeHeld(
		key: string,
		token: number,
		next: (found: DynamodbRecord, now: number) => DynamodbRecord,
	): Promise<boolean> {
		return changeOwn(key, token, ["held"], next, await read(key));
	}

	const store: DynamodbStore = {
		claim(key, { leaseMs, retentionMs }) {
			const claiming = change<ClaimResult>(`event:${key}`, (found, now) => {
				const known = found === undefined || isPast(found.expires_at, now) ? undefined : found;
				const { state, attempt = 0, lease_ends_at = 0 } = known ?? {};
				if (state === "done") return { result: { status: "done" } };
				if (state === "held" && !isPast(lease_ends_at, now))
					return { result: { status: "in_flight", retryAfterMs: lease_ends_at + maxClockSkewMs - now } };
				// A token starts at the time: it grows even if records are lost.
				const claim = { token: Math.max((found?.token ?? 0) + 1, Math.floor(now)), attempt: attempt + 1 };
				const times = { lease_ends_at: now + leaseMs, expires_at: now + Math.max(leaseMs, retentionMs) };
				return { record: { state: "held", ...claim, ...times }, result: { status: "acquired", ...claim } };
			});
			return limit(claiming, (claim) => releaseLate(store, key, claim));
		},
		extend(key, token, leaseMs) {
			const extending = changeHeld(`event:${key}`, token, (found, now) => ({
				...found,
				lease_ends_at: now + leaseMs,
				expires_at: Math.max(found.expires_at, now + leaseMs),
			}));
			return limit(extending);
		},
		complete(key, token, retentionMs) {
			// What an undisturbed worker would read: nothing of it stays, so it need not be read.
			const held = { state: "held", token, expires_at: Number.POSITIVE_INFINITY };
			const completing = changeOwn(
				`event:${key}`,
				token,
				["held", "done"],
				(_, now) => ({ state: "done", token, expires_at: now + retentionMs }),
				held,
			);
			return limit(completing);
		},
		release(key, token, { unused = false } = {}) {
			const releasing = changeHeld(`event:${key}`, token, (found) => ({
				...found,
				state: "free",
				attempt: (found.attempt ?? 0) - (unused ? 1 : 0),
			}));
			return limit(releasing);
		},
		bind(digest, eventId, ttlMs) {
			const binding = change(`delivery:${digest}`, (found, now) =>
				found?.event_id === undefined || isPast(found.expires_at, now)
					? { record: { state: "bound", event_id: eventId, expires_at: now + ttlMs }, result: eventId }
					: { result: found.event_id },
			);
			return limit(binding);
		},
		remember(key, ttlMs) {
			const remembering = change(`nonce:${key}`, (found, now) =>
				found === undefined || isPast(found.expires_at, now)
					? { record: { state: "seen", expires_at: now + ttlMs }, result: true }
					: { result: false },
			);
			return limit(remembering);
		},
	};
	return store;
}
