import { assertKnownKeys, assertPositive } from "../check-options.ts";
import { systemClock } from "../runtime.ts";
import { nameStatements } from "./named-statements.ts";
import type { PostgresClient } from "./postgres-client.ts";
import { isTableMissing } from "./postgres-errors.ts";
import { createSqlStore, type RunSql, type SqlDialect, type SqlStore, tableStatements } from "./sql-store.ts";
import { StoreError } from "./store-error.ts";
import { DEFAULT_TIMEOUT_MS, withTimeout } from "./with-timeout.ts";

/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions {
	/** The table, optionally with its schema in front. @default "messaging_gateway_records" */
	table?: string | undefined;
	/** The longest that one call may take, in milliseconds. @default 5_000 */
	timeoutMs?: number | undefined;
	/**
	 * Whether each statement has a name, so that the server parses and plans it once for each connection. Other clients than
	 * those of `pg` may not accept names. @default true for a `Pool` of `pg`
	 */
	namedStatements?: boolean | undefined;
}

/** A store in a table of PostgreSQL. */
export interface PostgresStore extends SqlStore {
	/** Creates the table if it is missing. Several processes may do so at once. */
	createTable(): Promise<void>;
}

export const DEFAULT_TABLE = "messaging_gateway_records";

const NOW = "(extract(epoch FROM now()) * 1000)::bigint";

export const POSTGRES: SqlDialect = {
	now: NOW,
	greatest: "GREATEST",
	key: 'text COLLATE "C" PRIMARY KEY',
	skipLocked: "FOR UPDATE SKIP LOCKED",
	// What it reads at its end is as it was before: a row that was done stays so, and any other one is looked up again.
	bindAndClaim: (table, write) => `
WITH bound AS (${write(`VALUES ($1, 'bound', NULL, NULL, $2, NULL, ${NOW} + $3)`)}
), claimed AS (${write(`SELECT $4::text || event_id, 'held', ${NOW}, 1, NULL, ${NOW} + $5, ${NOW} + $6 FROM bound`)}
)
SELECT bound.event_id, claimed.token, claimed.attempt, EXISTS (
	SELECT FROM ${table} WHERE key = $4::text || bound.event_id AND state = 'done' AND expires_at > ${NOW}
) AS is_done
FROM bound LEFT JOIN claimed ON true`,
};

/** The statements that create the table, for your own migration; `createTable()` runs the same. */
export function postgresTable(table: string = DEFAULT_TABLE): string {
	return `${tableStatements(table, POSTGRES).join(";\n")};\n`;
}

/**
 * A store in PostgreSQL 11 or later, for any number of processes. Each step is one statement, which must not run in your
 * own transaction: an uncommitted claim would block every repeat. Expired rows are removed as others are written.
 *
 * @param client - a `Pool` of `pg`, or anything with the same `query`. A pool needs a listener for `error`, or a lost
 * connection ends the process, and a `query_timeout` below `timeoutMs`, or a dead one is never given up.
 * @throws ConfigurationError if an option is invalid.
 * @example
 * ```ts
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL, query_timeout: 4_000 });
 * pool.on("error", (error) => console.error(error.message));
 * const store = postgresStore(pool);
 * await store.createTable();
 * ```
 */
export function postgresStore(client: PostgresClient, options: PostgresStoreOptions = {}): PostgresStore {
	assertKnownKeys("postgresStore options", options, ["table", "timeoutMs", "namedStatements"]);
	const { table = DEFAULT_TABLE, timeoutMs = DEFAULT_TIMEOUT_MS, namedStatements } = options;
	assertPositive("timeoutMs", timeoutMs);
	const missing = `the table ${table} is missing: call createTable(), or run postgresTable()`;
	const run = createRun(nameStatements(client, namedStatements), timeoutMs, missing);
	return {
		...createSqlStore(run, table, POSTGRES),
		createTable: () => createTable(createRun(client, timeoutMs, missing), table, postgresTable(table)),
	};
}

/** @param missingTable - the message if the table is missing. */
export function createRun(client: PostgresClient, timeoutMs: number, missingTable: string): RunSql {
	return async (statement, values, onLate) => {
		try {
			const result = client.query(statement, values);
			return (await withTimeout(result, timeoutMs, systemClock, ({ rows }) => onLate?.(rows))).rows;
		} catch (cause) {
			if (!isTableMissing(cause)) throw cause;
			throw new StoreError(missingTable, { cause });
		}
	};
}

/** Creates a table. IF NOT EXISTS does not hold against another process at the same time: the lock does. */
export async function createTable(run: RunSql, table: string, statements: string): Promise<void> {
	await run(
		`DO $create$ BEGIN
PERFORM pg_advisory_xact_lock(hashtext('${table}'));
${statements}
END $create$`,
		[],
	);
}
