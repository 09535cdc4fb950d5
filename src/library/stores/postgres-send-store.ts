import type { PostgresClient } from "./postgres-client.ts";
import {
	assertPostgresArguments,
	createRun,
	openTable,
	POSTGRES,
	type PostgresOptions,
} from "./postgres-store.ts";
import type { SendStore, SweepableSendStore } from "./send-store.ts";
import { createSqlSendStore, sendTableStatements } from "./sql-send-store.ts";
import { assertTableName } from "./sql-store.ts";
import { SENDS_TABLE } from "./table-names.ts";

/** A store of sends in a table of PostgreSQL. */
export interface PostgresSendStore extends SweepableSendStore {
	/** Creates the table if it is missing, which needs CREATE on its schema. Several processes may call it at once. */
	createTable(): Promise<void>;
	/**
	 * Returns the same store within your transaction, for `sender.prepare`: the send is written down if the transaction
	 * commits. Create the table first, since a statement that finds none ends the transaction.
	 * @param client - the connection that the transaction runs on.
	 */
	inTransaction(client: PostgresClient): SendStore;
}

/** Returns the statements that create the table of sends, for your own migration. `createTable()` runs the same. */
export function postgresSendTable(table: string = SENDS_TABLE): string {
	return `${sendTableStatements(table, POSTGRES).join(";\n")};\n`;
}

/**
 * Remembers sends in PostgreSQL 11 or later, for any number of processes. A commit must survive a crash: keep
 * `synchronous_commit` on, and fail over to synchronous replicas only, or a message may go out twice.
 *
 * @param client - a `Pool` of `pg`, or anything with the same `query`. A pool needs a listener for `error`, or a lost
 * connection ends the process.
 * @throws ConfigurationError if the client has no `query`, or an option is invalid.
 * @example
 * ```ts
 * const store = postgresSendStore(pool, { createIfMissing: true });
 * ```
 */
export function postgresSendStore(client: PostgresClient, options: PostgresOptions = {}): PostgresSendStore {
	const { table = SENDS_TABLE }: PostgresOptions = Object(options);
	assertPostgresArguments("postgresSendStore", client, options, () => assertTableName(table));
	const statements = postgresSendTable(table);
	const described = { name: table, statements, writtenBy: "postgresSendTable" } as const;
	const { run, createTable } = openTable(client, described, options);
	return {
		...createSqlSendStore(run, table, POSTGRES),
		createTable,
		// Its errors reach the application, whose transaction they end.
		inTransaction: (transaction) => createSqlSendStore(createRun(transaction, described), table, POSTGRES),
	};
}
