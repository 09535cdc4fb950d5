import { assertAll, assertArgument } from "../assert-argument.ts";
import { assertKnownKeys } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { type Clock, serverUuid, systemClock } from "../runtime.ts";
import { StoreError } from "../store-calls/store-error.ts";
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
import type { ClaimResult, ClaimState, ClaimTimes, DeliveryBinding, SharedStore } from "./event-store.ts";
import { REPLACED_STORE_OPTIONS } from "./replaced-options.ts";
import { RECORDS_TABLE } from "./table-names.ts";

/** The methods of a client that the store needs. A `DynamoDB` of `@aws-sdk/client-dynamodb` has them. */
export interface DynamodbClient {
	getItem(input: DynamodbGetInput): Promise<{ readonly Item?: DynamodbItem | undefined }>;
	/**
	 * Writes an item. If the condition is false it rejects with an error named `ConditionalCheckFailedException`, which
	 * may have the `Item`.
	 */
	putItem(input: DynamodbPutInput): Promise<unknown>;
}

/** The options of {@link dynamodbStore}. */
export interface DynamodbStoreOptions {
	/** The name of the table. Its only key is the string `key`. @default "messaging_gateway_records" */
	table?: string | undefined;
	/**
	 * The most that the clocks of two processes may differ, in milliseconds. DynamoDB has no clock that they share, so
	 * a lease or a record ends this much later.
	 * @default 5_000
	 */
	maxClockSkewMs?: number | undefined;
	/** The clock to use. @default the system clock */
	clock?: Pick<Clock, "now"> | undefined;
}

/** A store in a table of DynamoDB. */
export interface DynamodbStore extends SharedStore {}

/** How often a change is decided again because others have changed the same item. */
const MAX_TRIES = 50;

/** A record to write, if there is one, and the result once it is written. */
interface Decision<Result> {
	readonly record?: DynamodbRecord;
	readonly result: Result;
}

/**
 * Remembers events and nonces in a table of DynamoDB, for any number of processes. They must write to one region, such
 * as functions on AWS Lambda. The table's time to live removes expired records.
 *
 * An item has `key` (`event:`, `delivery:` or `nonce:`, and what it is about), `state` (`held`, `free`, `done`, `bound` or `seen`),
 * `revision`, which each write changes, `expires_at` in milliseconds and `ttl` in seconds; an event's has `token`, `attempt` and
 * `lease_ends_at`, and a delivery's `bound_key`.
 *
 * @param client - a `DynamoDB` of `@aws-sdk/client-dynamodb`, or anything with the same `getItem` and `putItem`.
 * @throws ConfigurationError if the client or an option is invalid.
 * @example
 * ```ts
 * const store = dynamodbStore(new DynamoDB(), { table: process.env.TABLE_NAME });
 * ```
 */
export function dynamodbStore(client: DynamodbClient, options: DynamodbStoreOptions = {}): DynamodbStore {
	const methods = ["getItem", "putItem"];
	const { maxClockSkewMs = 5_000, clock = systemClock } = options;
	const { table = RECORDS_TABLE } = options;
	assertAll([
		() =>
			assertArgument(
				"dynamodbStore",
				"the class DynamoDB of @aws-sdk/client-dynamodb, not DynamoDBClient",
				"new DynamoDB()",
				client,
				methods,
			),
		() =>
			assertKnownKeys(
				"dynamodbStore options",
				options,
				["table", "maxClockSkewMs", "clock"],
				REPLACED_STORE_OPTIONS,
			),
		() => {
			if (typeof table !== "string" || table === "")
				throw new ConfigurationError("table must be the name of a DynamoDB table, a string that isn't empty");
		},
		() => {
			if (!(Number.isFinite(maxClockSkewMs) && maxClockSkewMs >= 0))
				throw new ConfigurationError("maxClockSkewMs must be a number of at least 0");
		},
	]);

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
		const revision = serverUuid();
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
		let found = expected;
		for (let tries = 0; tries < MAX_TRIES; tries++) {
			const { record, result } = decide(found, clock.now());
			const changed = record && (await replace(key, found, record));
			if (changed === undefined) return result;
			found = changed.found;
		}
		throw new StoreError(`others changed the same item ${MAX_TRIES} times meanwhile`);
	}

	/** The result of a change, whose errors have a sentence if they are known. */
	function explained<Result>(changing: Promise<Result>): Promise<Result> {
		return changing.catch((error: unknown) => {
			throw explainDynamodbError(error, table);
		});
	}

	/** The key that the delivery is bound to. */
	function bind(key: string, { digest, ttlMs }: DeliveryBinding): Promise<string> {
		return change(`delivery:${digest}`, (found, now) =>
			found?.bound_key === undefined || isPast(found.expires_at, now)
				? { record: { state: "bound", bound_key: key, expires_at: now + ttlMs }, result: key }
				: { result: found.bound_key },
		);
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

	function claim(key: string, { leaseMs, retentionMs }: ClaimTimes): Promise<ClaimState> {
		return change<ClaimState>(`event:${key}`, (found, now) => {
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
	}

	return {
		claim(key, times, binding) {
			const claimBound = async (): Promise<ClaimResult> => {
				const boundKey = binding === undefined ? key : await bind(key, binding);
				const claimed = await claim(boundKey, times);
				return boundKey === key ? claimed : { ...claimed, boundKey };
			};
			return explained(claimBound());
		},
		extend(key, token, leaseMs) {
			const extending = changeHeld(`event:${key}`, token, (found, now) => ({
				...found,
				lease_ends_at: now + leaseMs,
				expires_at: Math.max(found.expires_at, now + leaseMs),
			}));
			return explained(extending);
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
			return explained(completing);
		},
		release(key, token, { unused = false } = {}) {
			const releasing = changeHeld(`event:${key}`, token, (found) => ({
				...found,
				state: "free",
				attempt: (found.attempt ?? 0) - (unused ? 1 : 0),
			}));
			return explained(releasing);
		},
		remember(key, ttlMs) {
			const remembering = change(`nonce:${key}`, (found, now) =>
				found === undefined || isPast(found.expires_at, now)
					? { record: { state: "seen", expires_at: now + ttlMs }, result: true }
					: { result: false },
			);
			return explained(remembering);
		},
	};
}
