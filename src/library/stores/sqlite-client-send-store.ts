import type { SweepableSendStore } from "./send-store.ts";
import { createSqlSendStore, sendTableStatements } from "./sql-send-store.ts";
import {
	assertClientArguments,
	openClient,
	type SqliteClient,
	type SqliteClientOptions,
} from "./sqlite-client.ts";
import { assertNoSchema, SQLITE } from "./sqlite-dialect.ts";
import { SENDS_TABLE } from "./table-names.ts";

/** A store of sends in a table of SQLite, behind your client. */
export interface SqliteClientSendStore extends SweepableSendStore {
	/** Creates the table if it is missing. Several processes may call it at once. */
	createTable(): Promise<void>;
}

/** Returns the statements that create the table of sends, for your own migration. `createTable()` runs the same. */
export function sqliteSendTable(table: string = SENDS_TABLE): string {
	return `${statementsOf(table).join(";\n")};\n`;
}

/**
 * Remembers sends in SQLite 3.42 or later through your client, as in `sqliteClientStore`. It serves all processes that
 * reach the same primary. A commit must survive a crash, or a message may go out twice.
 *
 * @throws ConfigurationError if the client has no `query`, or an option is invalid.
 * @example
 * ```ts
 * const query = async (sql, values) => (await env.DB.prepare(sql).bind(...values).all()).results;
 * const store = sqliteClientSendStore({ query }, { createIfMissing: true });
 * ```
 */
export function sqliteClientSendStore(
	client: SqliteClient,
	options: SqliteClientOptions = {},
): SqliteClientSendStore {
	const { table = SENDS_TABLE }: SqliteClientOptions = Object(options);
	assertClientArguments("sqliteClientSendStore", client, options, () => statementsOf(table));
	const described = { name: table, statements: statementsOf(table), writtenBy: "sqliteSendTable" } as const;
	const { run, createTable } = openClient(client, described, options);
	return { ...createSqlSendStore(run, table, SQLITE), createTable };
}

function statementsOf(table: string): string[] {
	assertNoSchema(table);
	return sendTableStatements(table, SQLITE);
}
