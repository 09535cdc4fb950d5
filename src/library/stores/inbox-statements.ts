import { MAX_TIMER_MS } from "../runtime.ts";
import type { InboxTimes } from "./inbox.ts";
import { POSTGRES } from "./postgres-store.ts";
import type { Statement } from "./transactions.ts";

/** What the statements of a run are about. */
export interface InboxRecord {
	readonly table: string;
	/** A name that no handler gives to a savepoint of its own: `ROLLBACK TO` finds the latest one. */
	readonly savepoint: string;
	readonly key: string;
	readonly times: InboxTimes;
	/** The statement that binds the delivery. */
	readonly binding: Statement;
}

/** The error of the check before COMMIT, if the transaction is another one: that of a logarithm of 0. */
export const OTHER_TRANSACTION = "2201E";

/**
 * Locks the event, records it, and sets the savepoint to which a permanent failure goes back. Nothing waits for another
 * worker: a statement that waits would keep its connection from others.
 */
export function openingStatements({ table, savepoint, key, times, binding }: InboxRecord): Statement[] {
	const { maxHandlerMs, storeTimeoutMs, retentionMs } = times;
	// PostgreSQL has 32 bits for a limit, as timers have.
	const idleMs = Math.min(Math.ceil(maxHandlerMs + storeTimeoutMs), MAX_TIMER_MS);
	const record = `event:${key}`;
	const { now } = POSTGRES;
	return [
		// The time limit stands for a lease: the server ends the transaction of a machine that is gone. The other setting
		// tells the record that the lock is ours. A delivery that is bound to another event must not lock this one.
		{
			text: `WITH begun AS MATERIALIZED (
	SELECT CASE WHEN (SELECT value FROM ${table} WHERE key = $4) = $3
		THEN pg_try_advisory_xact_lock(hashtextextended($1, 0)) END AS locked,
		current_setting('transaction_isolation') AS isolation
)
SELECT locked, isolation, pg_backend_pid() AS pid,
	set_config('idle_in_transaction_session_timeout', $2::text, true),
	set_config('messaging_gateway.event',
		CASE WHEN locked AND isolation = 'read committed' THEN $3::text ELSE '' END, true)
FROM begun`,
			values: [`${table} ${record}`, idleMs, record, binding.values[0] ?? ""],
		},
		// The local setting is gone if the statement runs outside the transaction, where it would commit at once.
		{
			text: `INSERT INTO ${table} AS record (key, state, expires_at)
SELECT $1::text, 'done', ${now} + $2::bigint WHERE current_setting('messaging_gateway.event', true) = $1::text
ON CONFLICT (key) DO UPDATE SET state = 'done', token = record.token + 1, expires_at = excluded.expires_at
WHERE record.expires_at <= ${now} OR (record.state <> 'done' AND record.lease_ends_at <= ${now})
RETURNING pg_current_xact_id()::text AS xid`,
			values: [record, Math.ceil(retentionMs)],
		},
		{ text: `SAVEPOINT ${savepoint}`, values: [] },
	];
}

/** Finds out what kept an event from being recorded. */
export function findStatement({ table, key }: InboxRecord): Statement {
	return {
		text: `SELECT current_setting('messaging_gateway.event', true) = $1::text AS is_ours,
	(SELECT state FROM ${table} WHERE key = $1::text) AS state`,
		values: [`event:${key}`],
	};
}

/** Undoes what the handler did, if it is to be, and fails unless the transaction is still the one of the record. */
export function closingStatements(
	{ savepoint }: InboxRecord,
	ending: "commit" | "undo",
	xid: string,
): Statement[] {
	const check: Statement = {
		text: "SELECT ln((pg_current_xact_id_if_assigned()::text IS NOT DISTINCT FROM $1::text)::integer)",
		values: [xid],
	};
	return ending === "undo" ? [{ text: `ROLLBACK TO SAVEPOINT ${savepoint}`, values: [] }, check] : [check];
}
