import { assertAll, assertArgument } from "../assert-argument.ts";
import { assertBoolean, assertKnownKeys } from "../check-options.ts";
import { randomFraction, sleep } from "../runtime.ts";
import { StoreError } from "../store-calls/store-error.ts";
import { nameStatements } from "./named-statements.ts";
import type { PostgresClient } from "./postgres-client.ts";
import { describeRejection, findCode, isSerializationFailure, isTableMissing } from "./postgres-errors.ts";
import { REPLACED_STORE_OPTIONS } from "./replaced-options.ts";
import {
	assertTableName,
	createSqlStore,
	creating,
	describeMissing,
	type RunSql,
	type SqlDialect,
	type SqlStore,
	tableStatements,
} from "./sql-store.ts";
import { RECORDS_TABLE } from "./table-names.ts";

/** The options of `postgresStore`, `postgresInbox` and `postgresSendStore`. */
export interface PostgresOptions {
	/**
	 * The name of the table, optionally with its schema in front.
	 * @default "messaging_gateway_records", and "messaging_gateway_sends" for sends
	 */
	table?: string | undefined;
	/**
	 * Whether to create a missing table when a statement needs it, so you await nothing at start. A statement in your
	 * own transaction doesn't.
	 * @default false
	 */
	createIfMissing?: boolean | undefined;
}

export const POSTGRES_OPTIONS: readonly (keyof PostgresOptions)[] = ["table", "createIfMissing"];

/** A store in a table of PostgreSQL. */
export interface PostgresStore extends SqlStore {
	/** Creates the table if it is missing, which needs CREATE on its schema. Several processes may call it at once. */
	createTable(): Promise<void>;
}

const NOW = "(extract(epoch FROM now()) * 1000)::bigint";

export const POSTGRES: SqlDialect = {
	now: NOW,
	greatest: "GREATEST",
	key: 'text COLLATE "C" PRIMARY KEY',
	skipLocked: "FOR UPDATE SKIP LOCKED",
	// What it reads at its end is as it was before: a row that was done stays so, and any other one is looked up again.
	bindAndClaim: (table, { bind, claim }) => `
WITH bound AS (${bind(`VALUES ($1, 'bound', $2, ${NOW} + $3)`)}
), claimed AS (${claim(`SELECT bound_key, 'held', ${NOW}, 1, $6, ${NOW} + $4, ${NOW} + $5 FROM bound`)}
)
SELECT bound.bound_key, claimed.token, claimed.attempt, EXISTS (
	SELECT FROM ${table} WHERE key = bound.bound_key AND state = 'done' AND expires_at > ${NOW}
) AS is_done
FROM bound LEFT JOIN claimed ON true`,
};

/** Returns the statements that create the table, for your own migration. `createTable()` runs the same. */
export function postgresTable(table: string = RECORDS_TABLE): string {
	return `${tableStatements(table, POSTGRES).join(";\n")};\n`;
}

/**
 * Remembers events and nonces in PostgreSQL 11 or later, for any number of processes. Each step is one statement. Don't
 * run it in your own transaction: an uncommitted claim would block every repeat. It removes expired rows as it writes
 * others.
 *
 * @param client - a `Pool` of `pg`, or anything with the same `query`: one of the store's own, since the lease's heartbeat
 * would wait behind statements of your handlers. A pool needs a listener for `error`, or a lost connection ends the
 * process, and a `query_timeout` below `storeTimeoutMs`, or a dead one is never given up.
 * @throws ConfigurationError if the client has no `query`, or an option is invalid.
 * @example
 * ```ts
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL, query_timeout: 4_000 });
 * pool.on("error", (error) => console.error(error.message));
 * const store = postgresStore(pool, { createIfMissing: true });
 * ```
 */
export function postgresStore(client: PostgresClient, options: PostgresOptions = {}): PostgresStore {
	const { table = RECORDS_TABLE }: PostgresOptions = Object(options);
	assertPostgresArguments("postgresStore", client, options, () => assertTableName(table));
	const described = { name: table, statements: postgresTable(table), writtenBy: "postgresTable" } as const;
	const { run, createTable } = openTable(client, described, options);
	return { ...createSqlStore(run, table, POSTGRES), createTable };
}

/** A table of a store. */
export interface PostgresTable {
	readonly name: string;
	/** The statements that create it. */
	readonly statements: string;
	/** The exported function that returns these statements. */
	readonly writtenBy: "postgresTable" | "postgresSendTable";
}

/** Checks what a store is made of. @throws ConfigurationError with all that is wrong. */
export function assertPostgresArguments(
	store: "postgresStore" | "postgresSendStore",
	client: unknown,
	options: unknown,
	checkTable: () => void,
): void {
	assertAll([
		() => assertArgument(store, "a Pool of pg", "new Pool({ connectionString })", client, ["query"]),
		() => assertKnownKeys(`${store} options`, options, POSTGRES_OPTIONS, REPLACED_STORE_OPTIONS),
		checkTable,
		() => assertBoolean("createIfMissing", Object(options).createIfMissing),
	]);
}

/** Reaches a table through a client of the store's own, whose statements commit by themselves. */
export function openTable(
	client: PostgresClient,
	table: PostgresTable,
	{ createIfMissing }: PostgresOptions,
): { run: RunSql; createTable(): Promise<void> } {
	const run = repeating(createRun(nameStatements(client), table));
	const create = (): Promise<void> => createTable(createRun(client, table), table.name, table.statements);
	return { run: createIfMissing ? creating(run, isTableMissing, create) : run, createTable: create };
}

/** Runs statements on a connection that may be in a transaction of somebody else's: nothing is tried again. */
export function createRun(client: PostgresClient, { name, writtenBy }: PostgresTable): RunSql {
	return async (statement, values) => {
		try {
			return (await client.query(statement, values)).rows;
		} catch (cause) {
			const sentence = isTableMissing(cause)
				? describeMissing(name, writtenBy)
				: describeRejection(cause, name);
			throw sentence === undefined ? cause : new StoreError(sentence, { cause });
		}
	};
}

/**
 * Runs statements that commit by themselves: one that the database rejected in favour of another had no effect, and is tried
 * again. A database whose default is serializable does that between events that have nothing in common.
 */
export function repeating(run: RunSql): RunSql {
	return async (statement, values) => {
		for (let attempt = 1; ; attempt++) {
			try {
				return await run(statement, values);
			} catch (error) {
				if (attempt === MAX_ATTEMPTS || !isSerializationFailure(error)) throw error;
			}
			// Full jitter: those that met would meet again.
			await sleep(randomFraction() * Math.min(MAX_PAUSE_MS, 2 ** attempt));
		}
	};
}

const MAX_ATTEMPTS = 40;
const MAX_PAUSE_MS = 256;

/**
 * Creates a table that is missing. IF NOT EXISTS does not hold against another process at the same time: against one of ours
 * the lock does, and a migration that commits first has created the table. It asks for the right to create even if the
 * table exists: without that right, a table that is there is enough.
 */
export async function createTable(run: RunSql, table: string, statements: string): Promise<void> {
	try {
		await run(
			`DO $create$ BEGIN
PERFORM pg_advisory_xact_lock(hashtext('${table}'));
${statements}
EXCEPTION WHEN duplicate_table OR unique_violation THEN
END $create$`,
			[],
		);
	} catch (cause) {
		const code = findCode(cause);
		if (code !== "42501" && code !== "25006") throw cause;
		const rows = await run(`SELECT 1 FROM pg_class WHERE oid = to_regclass('${table}')`, []);
		if (rows.length > 0) return;
		throw new StoreError(
			`the database's user may not create the table ${table}: call createTable() as one with CREATE on its schema`,
			{ cause },
		);
	}
}
