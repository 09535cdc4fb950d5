import { ConfigurationError } from "../errors.ts";
import { randomFraction } from "../runtime.ts";
import { StoreError } from "../store-calls/store-error.ts";
import { createCallId } from "./call-id.ts";
import type { ClaimState, ClaimTimes, DeliveryBinding, SharedStore } from "./event-store.ts";

/** What differs between the databases. */
export interface SqlDialect {
	/** The server's time in Unix milliseconds, the same all over a statement. */
	readonly now: string;
	/** The function that finds the greater of two numbers. */
	readonly greatest: "GREATEST" | "max";
	/** The declaration of the key's column. */
	readonly key: string;
	/** The clause that keeps two sweeps from waiting for each other. */
	readonly skipLocked: string;
	/**
	 * The statement that binds a delivery and claims its event: $1 the delivery, $2 the event, $3 how long it is bound, $4
	 * lease, $5 retention, $6 the claim's id. One of its rows has `bound_key`, `is_done` stands beside it or a claim, and for a
	 * claim that succeeded there are `token` and `attempt`.
	 */
	bindAndClaim(table: string, upserts: SqlUpserts): string;
}

/** The statements that write the rows of a source: a VALUES, or a SELECT. */
export interface SqlUpserts {
	/** Of `key, state, value, expires_at`: binds deliveries. A binding stays until its time is over. Returns `bound_key`. */
	bind(source: string): string;
	/** Of all columns: claims events, unless they are held or done. Returns `token` and `attempt`. */
	claim(source: string): string;
}

export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement with the values of `$1`, `$2`, and so on. */
export type RunSql = (statement: string, values: (string | number)[]) => Promise<SqlRow[]>;

/**
 * Runs statements on a table that is created when a statement finds it missing. Several may create it at once. A failed
 * statement had no effect, and one that follows a failed creation tries again.
 */
export function creating<Given extends unknown[], Result>(
	run: (...given: Given) => Promise<Result>,
	isMissing: (error: unknown) => boolean,
	createTable: () => Promise<void>,
): (...given: Given) => Promise<Result> {
	return async (...statement) => {
		try {
			return await run(...statement);
		} catch (error) {
			if (!isMissing(error)) throw error;
			await createTable();
			return run(...statement);
		}
	};
}

/** The sentence for a table that is not there. */
export function describeMissing(table: string, writtenBy: string): string {
	return `the table ${table} is missing. Call createTable() once, run the SQL of ${writtenBy}(), or pass createIfMissing: true`;
}

/** A store in a database table. */
export interface SqlStore extends SharedStore {
	/**
	 * Removes up to 500 expired rows. The store does so by itself after one in 50 writes, by chance.
	 * @returns how many were removed.
	 */
	sweep(): Promise<number>;
}

/**
 * The statements of the table: one row for each event, bound delivery and nonce. Times are Unix milliseconds. The value of a
 * delivery is the key of the row that it is bound to, and that of an event or a nonce the id of the call that wrote it.
 */
export function tableStatements(table: string, { key }: SqlDialect): string[] {
	assertTableName(table);
	const index = `${table.split(".").at(-1)}_expires_at`;
	return [
		`CREATE TABLE IF NOT EXISTS ${table} (
	key ${key},
	state text NOT NULL,
	token bigint,
	attempt integer,
	value text,
	lease_ends_at bigint,
	expires_at bigint NOT NULL
)`,
		`CREATE INDEX IF NOT EXISTS ${index} ON ${table} (expires_at)`,
	];
}

/** Ten times as many rows can be removed as are written: a table shrinks again after a rush. */
const SWEEP_CHANCE = 1 / 50;
export const ROWS_PER_SWEEP = 500;

/**
 * Sweeps after some of the writes, by chance: a process that ends after its first events, as functions do, would never count
 * to fifty. A failed sweep does no harm: another one follows.
 */
export function sweepByChance(sweep: () => Promise<number>): void {
	if (randomFraction() < SWEEP_CHANCE) sweep().catch(() => undefined);
}

/** The steps of a record, each as one statement, which is atomic. */
export function createSqlStore(run: RunSql, table: string, dialect: SqlDialect): SqlStore {
	const statements = createStatements(table, dialect);

	async function isChanged(statement: string, values: (string | number)[]): Promise<boolean> {
		return (await run(statement, values)).length > 0;
	}

	async function sweep(): Promise<number> {
		return (await run(statements.sweep, [ROWS_PER_SWEEP])).length;
	}

	function write(...statement: Parameters<RunSql>): Promise<SqlRow[]> {
		sweepByChance(sweep);
		return run(...statement);
	}

	/**
	 * What keeps the event of a row from being claimed: often another claim, or else this one, if a client or a proxy that lost
	 * its response has sent it again.
	 */
	async function find(rowKey: string, callId: string): Promise<ClaimState> {
		const [found] = await run(statements.find, [rowKey]);
		const { state, value, left_ms } = found ?? {};
		if (state === "done") return { status: "done" };
		const leftMs = Number(left_ms ?? 0);
		if (found !== undefined && state === "held" && value === callId && leftMs > 0) return toClaim(found);
		// If it was released or removed in between, the next delivery finds out.
		return { status: "in_flight", retryAfterMs: Math.max(1, leftMs) };
	}

	async function claim(rowKey: string, times: ClaimTimes): Promise<ClaimState> {
		const callId = createCallId();
		const [claimed] = await write(statements.claim, [rowKey, ...toSqlTimes(times), callId]);
		return claimed === undefined ? find(rowKey, callId) : toClaim(claimed);
	}

	/** @returns the key of the row that the delivery is bound to, and the claim of its event. */
	async function bindAndClaim(
		rowKey: string,
		times: ClaimTimes,
		binding: DeliveryBinding,
	): Promise<readonly [boundRowKey: string, claim: ClaimState]> {
		const callId = createCallId();
		const values = [...toSqlBinding(binding, rowKey), ...toSqlTimes(times), callId];
		const rows = await write(statements.bindAndClaim, values);
		const boundKey = toBoundKey(rows);
		const claimed = rows.find(isClaimed);
		if (claimed !== undefined) return [boundKey, toClaim(claimed)];
		// SQLite has 1 for true.
		const isDone = rows.some((row) => Number(row["is_done"]) === 1);
		return [boundKey, isDone ? { status: "done" } : await find(boundKey, callId)];
	}

	return {
		async claim(key, times, binding) {
			const rowKey = toRowKey(key);
			if (binding === undefined) return claim(rowKey, times);
			const [boundRowKey, claimed] = await bindAndClaim(rowKey, times, binding);
			return boundRowKey === rowKey ? claimed : { ...claimed, boundKey: toKey(boundRowKey) };
		},
		extend: (key, token, leaseMs) => isChanged(statements.extend, [toRowKey(key), token, Math.ceil(leaseMs)]),
		complete: (key, token, retentionMs) =>
			isChanged(statements.complete, [toRowKey(key), token, Math.ceil(retentionMs)]),
		release: (key, token, { unused = false } = {}) =>
			isChanged(statements.release, [toRowKey(key), token, unused ? 1 : 0]),
		async remember(key, ttlMs) {
			return (
				(await write(statements.remember, [`nonce:${key}`, Math.ceil(ttlMs), createCallId()])).length > 0
			);
		},
		sweep,
	};
}

const EVENT = "event:";

export function toRowKey(key: string): string {
	return EVENT + key;
}

export function toKey(rowKey: string): string {
	return rowKey.slice(EVENT.length);
}

/** The values of a binding: the key of its row, that of its event, time to live. */
export type SqlBinding = [key: string, rowKey: string, ttlMs: number];

export function toSqlBinding({ digest, ttlMs }: DeliveryBinding, rowKey: string): SqlBinding {
	return [`delivery:${digest}`, rowKey, Math.ceil(ttlMs)];
}

/** The values of a claim's times: a record outlives its lease. */
type SqlTimes = [leaseMs: number, retentionMs: number];

function toSqlTimes({ leaseMs, retentionMs }: ClaimTimes): SqlTimes {
	const lease = Math.ceil(leaseMs);
	return [lease, Math.max(lease, Math.ceil(retentionMs))];
}

function isClaimed({ token }: SqlRow): boolean {
	return (token ?? undefined) !== undefined;
}

function toClaim({ token, attempt }: SqlRow): ClaimState {
	return { status: "acquired", token: Number(token), attempt: Number(attempt) };
}

/** Any string would pass as a key, and all deliveries bound to it as one event. */
export function toBoundKey(rows: readonly SqlRow[]): string {
	const boundKey = rows.map((row) => row["bound_key"]).find((each) => typeof each === "string");
	if (boundKey !== undefined) return boundKey;
	throw new StoreError(
		"your client renames columns, for example to camelCase, so its rows can't be read. Turn that off for this client, or pass another",
	);
}

export function createStatements(table: string, { now, greatest, skipLocked, bindAndClaim }: SqlDialect) {
	assertTableName(table);
	const isOver = `record.expires_at <= ${now}`;
	const upserts: SqlUpserts = {
		bind: (source) => `
INSERT INTO ${table} AS record (key, state, value, expires_at)
${source}
ON CONFLICT (key) DO UPDATE SET
	value = CASE WHEN ${isOver} THEN excluded.value ELSE record.value END,
	expires_at = CASE WHEN ${isOver} THEN excluded.expires_at ELSE record.expires_at END
RETURNING value AS bound_key`,
		claim: (source) => `
INSERT INTO ${table} AS record (key, state, token, attempt, value, lease_ends_at, expires_at)
${source}
ON CONFLICT (key) DO UPDATE SET
	state = excluded.state,
	token = ${greatest}(record.token + 1, excluded.token),
	attempt = CASE WHEN ${isOver} THEN excluded.attempt ELSE record.attempt + 1 END,
	value = excluded.value,
	lease_ends_at = excluded.lease_ends_at,
	expires_at = excluded.expires_at
WHERE ${isOver} OR (record.state <> 'done' AND record.lease_ends_at <= ${now})
RETURNING token, attempt`,
	};
	return {
		// $1 key, $2 lease, $3 retention, $4 the claim's id. A token starts at the time: it grows even if rows are lost.
		claim: upserts.claim(`VALUES ($1, 'held', ${now}, 1, $4, ${now} + $2, ${now} + $3)`),
		// $1 key.
		find: `SELECT state, value, token, attempt, lease_ends_at - ${now} AS left_ms FROM ${table} WHERE key = $1`,
		// $1 key, $2 token, $3 lease.
		extend: `
UPDATE ${table} SET lease_ends_at = ${now} + $3, expires_at = ${greatest}(expires_at, ${now} + $3)
WHERE key = $1 AND token = $2 AND state = 'held' AND expires_at > ${now}
RETURNING key`,
		// $1 key, $2 token, $3 retention. An end that stays the same costs PostgreSQL no write to its index.
		complete: `
UPDATE ${table} SET state = 'done', expires_at = ${greatest}(expires_at, ${now} + $3)
WHERE key = $1 AND token = $2 AND state <> 'free' AND expires_at > ${now}
RETURNING key`,
		// $1 key, $2 token, $3 how many attempts to subtract.
		release: `
UPDATE ${table} SET state = 'free', lease_ends_at = 0, attempt = attempt - $3
WHERE key = $1 AND token = $2 AND state = 'held' AND expires_at > ${now}
RETURNING key`,
		// $1 key, $2 the event's, $3 time to live.
		bind: upserts.bind(`VALUES ($1, 'bound', $2, ${now} + $3)`),
		bindAndClaim: bindAndClaim(table, upserts),
		// $1 key, $2 time to live, $3 the call's id.
		remember: `
INSERT INTO ${table} AS record (key, state, value, expires_at)
VALUES ($1, 'seen', $3, ${now} + $2)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
WHERE ${isOver} OR record.value = excluded.value
RETURNING key`,
		// $1 how many.
		sweep: `
DELETE FROM ${table} WHERE key IN (
	SELECT key FROM ${table} WHERE expires_at <= ${now} ORDER BY expires_at LIMIT $1 ${skipLocked}
)
RETURNING key`,
	};
}

/** The name is part of the statements, unescaped. */
export function assertTableName(table: string): void {
	if (!/^([a-z_][a-z0-9_]{0,39}\.)?[a-z_][a-z0-9_]{0,39}$/.test(table)) {
		throw new ConfigurationError(
			"table must be a name of 1 to 40 lower-case letters, digits and underscores, optionally with a schema in front",
		);
	}
}
