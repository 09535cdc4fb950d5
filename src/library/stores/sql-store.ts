import { ConfigurationError } from "../errors.ts";
import { tieSteps } from "./combined-step.ts";
import type { ClaimResult, ClaimTimes, SharedStore } from "./event-store.ts";
import { releaseLate } from "./release-late.ts";
import { StoreError } from "./store-error.ts";

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
	 * The statement that binds a delivery and claims its event: $1 to $3 as in `bind`, $4 what stands in front of the event's
	 * id in its key, $5 lease, $6 retention. Its rows have `event_id`, and `is_done` beside it, and for a claim that succeeded
	 * `token` and `attempt`.
	 * @param write - the statement that writes the rows of a source.
	 */
	bindAndClaim(table: string, write: (source: string) => string): string;
}

export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * Runs one statement with the values of `$1`, `$2`, and so on.
 * @param onLate - called with rows that come after the timeout.
 */
export type RunSql = (
	statement: string,
	values: (string | number)[],
	onLate?: (rows: SqlRow[]) => void,
) => Promise<SqlRow[]>;

/** A store in a database table. */
export interface SqlStore extends SharedStore {
	/**
	 * Removes expired rows, 500 at most. The store does so by itself, once for every 50 rows that it writes.
	 * @returns how many were removed.
	 */
	sweep(): Promise<number>;
}

/** The statements of the table: one row for each event, bound delivery and nonce. Times are Unix milliseconds. */
export function tableStatements(table: string, { key }: SqlDialect): string[] {
	assertTableName(table);
	const index = `${table.split(".").at(-1)}_expires_at`;
	return [
		`CREATE TABLE IF NOT EXISTS ${table} (
	key ${key},
	state text NOT NULL,
	token bigint,
	attempt integer,
	event_id text,
	lease_ends_at bigint,
	expires_at bigint NOT NULL
)`,
		`CREATE INDEX IF NOT EXISTS ${index} ON ${table} (expires_at)`,
	];
}

/** Ten times as many rows can be removed as are written: a table shrinks again after a rush. */
const WRITES_PER_SWEEP = 50;
export const ROWS_PER_SWEEP = 500;

/** Counts the rows that are written, and sweeps now and then. A failed sweep does no harm: the next one follows. */
export function createWriteCounter(sweep: () => Promise<number>): () => void {
	let writes = 0;
	return () => {
		writes++;
		if (writes % WRITES_PER_SWEEP === 0) sweep().catch(() => undefined);
	};
}

/** The steps of a record, each as one statement, which is atomic. */
export function createSqlStore(run: RunSql, table: string, dialect: SqlDialect): SqlStore {
	const statements = createStatements(table, dialect);
	const countWrite = createWriteCounter(sweep);

	async function isChanged(statement: string, values: (string | number)[]): Promise<boolean> {
		return (await run(statement, values)).length > 0;
	}

	async function sweep(): Promise<number> {
		return (await run(statements.sweep, [ROWS_PER_SWEEP])).length;
	}

	function write(...statement: Parameters<RunSql>): Promise<SqlRow[]> {
		countWrite();
		return run(...statement);
	}

	/** What keeps an event from being claimed. */
	async function find(key: string): Promise<ClaimResult> {
		const [found] = await run(statements.find, [`event:${key}`]);
		if (found?.["state"] === "done") return { status: "done" };
		// If it was released or removed in between, the next delivery finds out.
		return { status: "in_flight", retryAfterMs: Math.max(1, Number(found?.["left_ms"] ?? 0)) };
	}

	const store: SqlStore = {
		async claim(key, times) {
			const [claimed] = await write(statements.claim, [`event:${key}`, ...toSqlTimes(times)], ([row]) => {
				if (row !== undefined) releaseLate(store, key, toClaim(row));
			});
			return claimed === undefined ? find(key) : toClaim(claimed);
		},
		extend: (key, token, leaseMs) =>
			isChanged(statements.extend, [`event:${key}`, token, Math.ceil(leaseMs)]),
		complete: (key, token, retentionMs) =>
			isChanged(statements.complete, [`event:${key}`, token, Math.ceil(retentionMs)]),
		release: (key, token, { unused = false } = {}) =>
			isChanged(statements.release, [`event:${key}`, token, unused ? 1 : 0]),
		async bind(digest, eventId, ttlMs) {
			return toEventId(await write(statements.bind, toSqlBinding(digest, eventId, ttlMs)));
		},
		async bindAndClaim({ digest, eventId, ttlMs, keyPrefix }, times) {
			const values = [...toSqlBinding(digest, eventId, ttlMs), `event:${keyPrefix}`, ...toSqlTimes(times)];
			const rows = await write(statements.bindAndClaim, values, (late) => {
				const claimed = late.find(isClaimed);
				if (claimed !== undefined) releaseLate(store, keyPrefix + toEventId(late), toClaim(claimed));
			});
			const boundId = toEventId(rows);
			const claimed = rows.find(isClaimed);
			if (claimed !== undefined) return { eventId: boundId, claim: toClaim(claimed) };
			// SQLite has 1 for true.
			if (rows.some((row) => Number(row["is_done"]) === 1))
				return { eventId: boundId, claim: { status: "done" } };
			return { eventId: boundId, claim: await find(keyPrefix + boundId) };
		},
		async remember(key, ttlMs) {
			return (await write(statements.remember, [`nonce:${key}`, Math.ceil(ttlMs)])).length > 0;
		},
		sweep,
	};
	return tieSteps(store);
}

/** The values of a binding: the key of its row, event id, time to live. */
export type SqlBinding = [key: string, eventId: string, ttlMs: number];

export function toSqlBinding(digest: string, eventId: string, ttlMs: number): SqlBinding {
	return [`delivery:${digest}`, eventId, Math.ceil(ttlMs)];
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

function toClaim({ token, attempt }: SqlRow): ClaimResult {
	return { status: "acquired", token: Number(token), attempt: Number(attempt) };
}

/** Any string would pass as an id, and all deliveries bound to it as one event. */
export function toEventId(rows: readonly SqlRow[]): string {
	const eventIds = rows.map((row) => row["event_id"]);
	const eventId = eventIds.find((each) => typeof each === "string");
	if (eventId !== undefined) return eventId;
	throw new StoreError("bind returned no event_id: use a client that does not rename columns");
}

export function createStatements(table: string, { now, greatest, skipLocked, bindAndClaim }: SqlDialect) {
	assertTableName(table);
	const isOver = `record.expires_at <= ${now}`;
	// A binding stays until its time is over, and an event is claimed unless it is held or done.
	const write = (source: string): string => `
INSERT INTO ${table} AS record (key, state, token, attempt, event_id, lease_ends_at, expires_at)
${source}
ON CONFLICT (key) DO UPDATE SET
	state = excluded.state,
	token = ${greatest}(record.token + 1, excluded.token),
	attempt = CASE WHEN ${isOver} THEN excluded.attempt ELSE record.attempt + 1 END,
	event_id = CASE WHEN ${isOver} THEN excluded.event_id ELSE record.event_id END,
	lease_ends_at = excluded.lease_ends_at,
	expires_at = CASE WHEN ${isOver} OR excluded.state = 'held' THEN excluded.expires_at ELSE record.expires_at END
WHERE excluded.state = 'bound' OR ${isOver} OR (record.state <> 'done' AND record.lease_ends_at <= ${now})
RETURNING event_id, token, attempt`;
	return {
		// $1 key, $2 lease, $3 retention. A token starts at the time: it grows even if rows are lost.
		claim: write(`VALUES ($1, 'held', ${now}, 1, NULL, ${now} + $2, ${now} + $3)`),
		// $1 key.
		find: `SELECT state, lease_ends_at - ${now} AS left_ms FROM ${table} WHERE key = $1`,
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
		// $1 key, $2 event id, $3 time to live.
		bind: write(`VALUES ($1, 'bound', NULL, NULL, $2, NULL, ${now} + $3)`),
		bindAndClaim: bindAndClaim(table, write),
		// $1 key, $2 time to live.
		remember: `
INSERT INTO ${table} AS record (key, state, expires_at)
VALUES ($1, 'seen', ${now} + $2)
ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at
WHERE record.expires_at <= ${now}
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
