import { assertKnownKeys } from "../check-options.ts";
import type { PostgresClient } from "./postgres-client.ts";
import { createRun, openTable, POSTGRES, POSTGRES_OPTIONS, type PostgresOptions } from "./postgres-store.ts";
import { REPLACED_STORE_OPTIONS } from "./replaced-options.ts";
import type { SendStore, SweepableSendStore } from "./send-store.ts";
import { createSqlSendStore, sendTableStatements } from "./sql-send-store.ts";

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

const DEFAULT_TABLE = "messaging_gateway_sends";

/** Returns the statements that create the table of sends, for your own migration. `createTable()` runs the same. */
export function postgresSendTable(table: string = DEFAULT_TABLE): string {
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
	assertKnownKeys("postgresSendStore options", options, POSTGRES_OPTIONS, REPLACED_STORE_OPTIONS);
	const { table = DEFAULT_TABLE } = options;
	const statements = postgresSendTable(table);
	const described = { name: table, statements, writtenBy: "postgresSendTable" } as const;
	const { run, createTable } = openTable("postgresSendStore", client, described, options);
	return {
		...createSqlSendStore(run, table, POSTGRES),
		createTable,
		// Its errors reach the application, whose transaction they end.
		inTransaction: (transaction) => createSqlSendStore(createRun(transaction, described), table, POSTGRES),
	};
}
