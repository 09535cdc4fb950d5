import { assertKnownKeys, assertMethods } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { systemClock } from "../runtime.ts";
import type { Inbox } from "./inbox.ts";
import { InboxRun } from "./inbox-run.ts";
import { type PostgresPool, type PostgresPoolClient, poolTransactions } from "./pool-transactions.ts";
import { DEFAULT_TABLE, POSTGRES, postgresStore } from "./postgres-store.ts";
import { createSqlStore, createWriteCounter } from "./sql-store.ts";
import {
	describeFailure,
	type PostgresTransaction,
	type TransactionFunction,
	type Transactions,
} from "./transactions.ts";
import { DEFAULT_TIMEOUT_MS, withTimeout } from "./with-timeout.ts";

/** Options of {@link postgresInbox}. */
export interface PostgresInboxOptions {
	/** The table, optionally with its schema in front. @default "messaging_gateway_records" */
	table?: string | undefined;
}

/** Transactions of an ORM or another client. */
export interface PostgresTransactions<Handle> {
	/** Opens a transaction at READ COMMITTED, and does the work in it. */
	transaction: TransactionFunction<Handle>;
}

/** An inbox in a table of PostgreSQL, the same as that of `postgresStore`. */
export interface PostgresInbox<Transaction> extends Inbox<Transaction> {
	/** Creates the table if it is missing. Several processes may do so at once. */
	createTable(): Promise<void>;
	/**
	 * Removes expired rows, 500 at most. The inbox does so by itself, once for every 50 rows that it writes.
	 * @returns how many were removed.
	 */
	sweep(): Promise<number>;
}

/**
 * An inbox in PostgreSQL 13 or later: an event is recorded in the transaction in which its handler works, so both commit
 * or neither does. PgBouncer must be in transaction or session mode.
 *
 * @param pool - best one of its own.
 * @throws ConfigurationError if an option is invalid.
 * @example
 * ```ts
 * const inbox = postgresInbox(pool);
 * await inbox.createTable();
 * const webhooks = createWebhookHandler({ inbox, enqueue: ({ eventId }, { transaction }) =>
 *   transaction.query("INSERT INTO notes (event_id) VALUES ($1)", [eventId]) });
 * ```
 */
export function postgresInbox<Client extends PostgresPoolClient>(
	pool: PostgresPool<Client>,
	options?: PostgresInboxOptions,
): PostgresInbox<Client>;
/**
 * An inbox in the transactions of an ORM or another client. After each commit its status is looked up.
 * @throws ConfigurationError if an option is invalid.
 */
export function postgresInbox<Handle>(
	transactions: PostgresTransactions<Handle>,
	options?: PostgresInboxOptions,
): PostgresInbox<Handle>;
export function postgresInbox<Client extends PostgresPoolClient>(
	source: PostgresPool<Client> | PostgresTransactions<Client>,
	options: PostgresInboxOptions = {},
): PostgresInbox<Client> {
	assertKnownKeys("postgresInbox options", options, ["table"]);
	const { table = DEFAULT_TABLE } = options;
	const transactions = openTransactions(source);
	const store = createSqlStore(
		async (text, values) => {
			try {
				return (await withTimeout(transactions.query(text, values), DEFAULT_TIMEOUT_MS, systemClock)).rows;
			} catch (error) {
				throw describeFailure(error, table);
			}
		},
		table,
		POSTGRES,
	);
	const countWrite = createWriteCounter(store.sweep);

	return {
		run: (key, work, times) => new InboxRun(transactions, { table, key, times, countWrite }).run(work),
		bind: store.bind,
		createTable: () => postgresStore(transactions, { table }).createTable(),
		sweep: store.sweep,
	};
}

function openTransactions<Client extends PostgresPoolClient>(
	source: PostgresPool<Client> | PostgresTransactions<Client>,
): Transactions<Client> {
	if (typeof source !== "object" || source === null) {
		throw new ConfigurationError("postgresInbox needs a Pool of pg, or { transaction }");
	}
	if ("transaction" in source) {
		assertKnownKeys("postgresInbox", source, ["transaction"]);
		assertMethods("postgresInbox", source, ["transaction"]);
		return functionTransactions(source.transaction);
	}
	assertMethods("postgresInbox without { transaction } needs a Pool, which", source, ["connect", "query"]);
	return poolTransactions(source);
}

/** Transactions of a library, whose command tags are not visible. */
function functionTransactions<Handle>(transaction: TransactionFunction<Handle>): Transactions<Handle> {
	const open: Transactions<Handle>["transaction"] = async (work) => {
		await transaction(async <Opened>(opened: PostgresTransaction<Opened>) => {
			// The function's result is typed by the handle that it passes here: Opened is Handle.
			await work(opened as PostgresTransaction<unknown> as PostgresTransaction<Handle>);
			return {};
		});
	};
	return {
		isCommitUnseen: true,
		transaction: open,
		async query(text, values) {
			let result: { rows: Record<string, unknown>[] } = { rows: [] };
			await open(async (opened) => {
				result = await opened.query(text, values);
			});
			return result;
		},
	};
}
