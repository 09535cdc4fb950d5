import { createSqlStore, type SqlStore, tableStatements } from "./sql-store.ts";
import {
	assertClientArguments,
	openClient,
	type SqliteClient,
	type SqliteClientOptions,
} from "./sqlite-client.ts";
import { assertNoSchema, SQLITE } from "./sqlite-dialect.ts";
import { RECORDS_TABLE } from "./table-names.ts";

/** A store in a table of SQLite, behind your client. */
export interface SqliteClientStore extends SqlStore {
	/** Creates the table if it is missing. Several processes may call it at once. */
	createTable(): Promise<void>;
}

/** Returns the statements that create the table, for your own migration. `createTable()` runs the same. */
export function sqliteTable(table: string = RECORDS_TABLE): string {
	return `${statementsOf(table).join(";\n")};\n`;
}

/**
 * Remembers events and nonces in SQLite 3.42 or later through your client. It works with Cloudflare D1, the storage of
 * a Durable Object, libsql or Bun's, for all processes that reach the same primary. Each step is one statement, and the
 * time is the database's. It removes expired rows as it writes others.
 *
 * @throws ConfigurationError if the client has no `query`, or an option is invalid.
 * @example
 * ```ts
 * const query = async (sql, values) => (await env.DB.prepare(sql).bind(...values).all()).results;
 * const store = sqliteClientStore({ query }, { createIfMissing: true });
 * ```
 */
export function sqliteClientStore(
	client: SqliteClient,
	options: SqliteClientOptions = {},
): SqliteClientStore {
	const { table = RECORDS_TABLE }: SqliteClientOptions = Object(options);
	assertClientArguments("sqliteClientStore", client, options, () => statementsOf(table));
	const described = { name: table, statements: statementsOf(table), writtenBy: "sqliteTable" } as const;
	const { run, createTable } = openClient(client, described, options);
	return { ...createSqlStore(run, table, SQLITE), createTable };
}

function statementsOf(table: string): string[] {
	assertNoSchema(table);
	return tableStatements(table, SQLITE);
}
