import { assertAll, assertArgument, hasMethods } from "../assert-argument.ts";
import { assertBoolean, assertKnownKeys } from "../check-options.ts";
import { isPlainObject } from "../is-object.ts";
import { systemClock } from "../runtime.ts";
import { STORE_TIMEOUT_MS, withTimeout } from "../store-calls/with-timeout.ts";
import { createCallId } from "./call-id.ts";
import type { InboxClient } from "./guard-client.ts";
import type { Inbox } from "./inbox.ts";
import { InboxRun } from "./inbox-run.ts";
import { type PostgresPool, type PostgresPoolClient, poolTransactions } from "./pool-transactions.ts";
import { isTableMissing } from "./postgres-errors.ts";
import {
	POSTGRES,
	POSTGRES_OPTIONS,
	type PostgresOptions,
	postgresStore,
	repeating,
} from "./postgres-store.ts";
import {
	assertTableName,
	createStatements,
	creating,
	ROWS_PER_SWEEP,
	type SqlRow,
	sweepByChance,
	toRowKey,
	toSqlBinding,
} from "./sql-store.ts";
import { RECORDS_TABLE } from "./table-names.ts";
import {
	type PostgresTransaction,
	type Rows,
	type TransactionFunction,
	type Transactions,
	toStoreError,
} from "./transactions.ts";

/** Opens transactions of an ORM or another client. */
export interface PostgresTransactions<Handle> {
	/** Opens a transaction at READ COMMITTED, and does the work in it. */
	transaction: TransactionFunction<Handle>;
}

/** An inbox in a table of PostgreSQL, which can be the table of `postgresStore`. */
export interface PostgresInbox<Transaction> extends Inbox<Transaction> {
	/** Creates the table if it is missing, which needs CREATE on its schema. Several processes may call it at once. */
	createTable(): Promise<void>;
	/**
	 * Removes up to 500 expired rows. The inbox does so by itself after one in 50 writes, by chance.
	 * @returns how many were removed.
	 */
	sweep(): Promise<number>;
}

/**
 * Records each event in the transaction of your handler, so both commit or neither does. It needs PostgreSQL 13 or
 * later, and PgBouncer in transaction or session mode.
 *
 * @param pool - best one of its own. Handlers get its client without `release` and `end`: type it as `ClientBase` of `pg`.
 * @throws ConfigurationError if an option is invalid.
 * @example
 * ```ts
 * const inbox = postgresInbox(pool, { createIfMissing: true });
 * const webhooks = createWebhookHandler({ inbox, enqueue: ({ eventId }, { transaction }) =>
 *   transaction.query("INSERT INTO notes (event_id) VALUES ($1)", [eventId]) });
 * ```
 */
export function postgresInbox<Client extends PostgresPoolClient>(
	pool: PostgresPool<Client>,
	options?: PostgresOptions,
): PostgresInbox<InboxClient<Client>>;
/**
 * Records each event in the transactions of your ORM or another client. After each commit it looks up the status.
 * @throws ConfigurationError if an option is invalid.
 */
export function postgresInbox<Handle>(
	transactions: PostgresTransactions<Handle>,
	options?: PostgresOptions,
): PostgresInbox<Handle>;
export function postgresInbox<Client extends PostgresPoolClient>(
	source: PostgresPool<Client> | PostgresTransactions<InboxClient<Client>>,
	options: PostgresOptions = {},
): PostgresInbox<InboxClient<Client>> {
	const { table = RECORDS_TABLE, createIfMissing }: PostgresOptions = Object(options);
	assertAll([
		() => assertSource(source),
		() => assertKnownKeys("postgresInbox options", options, POSTGRES_OPTIONS),
		() => assertTableName(table),
		() => assertBoolean("createIfMissing", createIfMissing),
	]);
	const opened = isFunctionOf(source) ? functionTransactions(source.transaction) : poolTransactions(source);
	const create = <Given extends unknown[], Result>(run: (...given: Given) => Promise<Result>) =>
		creating(run, isTableMissing, createTable);
	// A transaction binds first: that finds the table missing, before any work has started.
	const transactions = !createIfMissing
		? opened
		: { ...opened, query: create(opened.query), transaction: create(opened.transaction) };
	const statements = createStatements(table, POSTGRES);
	// One for all runs: statistics of the server count each name as a statement of its own. Some platforms have no random
	// numbers until the first request.
	let savepoint: string | undefined;

	/** Without a response in time the connection is given up. */
	async function sweep(): Promise<number> {
		const givenUp = new AbortController();
		try {
			const running = runAlone(transactions, statements.sweep, [ROWS_PER_SWEEP], givenUp.signal);
			return (await withTimeout(running, STORE_TIMEOUT_MS, systemClock)).length;
		} catch (error) {
			givenUp.abort();
			throw toStoreError(error, table);
		}
	}

	function createTable(): Promise<void> {
		return postgresStore(opened, { table }).createTable();
	}

	const onWrite = (): void => sweepByChance(sweep);

	return {
		run(key, work, times, delivery) {
			savepoint ??= `messaging_gateway_${createCallId().replaceAll("-", "_")}`;
			const binding = { text: statements.bind, values: toSqlBinding(delivery, toRowKey(key)) };
			onWrite();
			return new InboxRun(transactions, { table, savepoint, key, times, binding, onWrite }).run(work);
		},
		createTable,
		sweep,
	};
}

/** Whether the transactions are a function's. A database of an ORM has a `transaction`, too, with other parameters. */
function isFunctionOf<Handle>(source: object): source is PostgresTransactions<Handle> {
	return Object.keys(source).includes("transaction") && !hasMethods(source, ["connect", "query"]);
}

function assertSource(source: unknown): void {
	if (isPlainObject(source) && isFunctionOf(source)) {
		assertKnownKeys("postgresInbox({ transaction: (work) => … })", source, ["transaction"]);
		assertArgument("postgresInbox", "transaction to be a function", "{ transaction: (work) => … }", source, [
			"transaction",
		]);
		return;
	}
	assertArgument(
		"postgresInbox",
		"a Pool of pg, or with an ORM { transaction: (work) => … }",
		"new Pool({ connectionString })",
		source,
		["connect", "query"],
	);
}

/** Transactions of a library, whose command tags are not visible. */
function functionTransactions<Handle>(transaction: TransactionFunction<Handle>): Transactions<Handle> {
	async function open(
		work: (opened: PostgresTransaction<Handle>) => Promise<void>,
		givenUp: AbortSignal | undefined,
	): Promise<void> {
		let destroy: (() => void) | undefined;
		const giveUp = (): void => destroy?.();
		givenUp?.addEventListener("abort", giveUp);
		try {
			await transaction(async <Opened>(opened: PostgresTransaction<Opened>) => {
				givenUp?.throwIfAborted();
				destroy = () => opened.destroy?.();
				// The function's result is typed by the handle that it passes here: Opened is Handle.
				await work(opened as PostgresTransaction<unknown> as PostgresTransaction<Handle>);
				return {};
			});
		} finally {
			// Its connection may serve others from now on.
			givenUp?.removeEventListener("abort", giveUp);
		}
	}
	const query: Transactions<Handle>["query"] = async (text, values, givenUp) => {
		let result: { rows: Record<string, unknown>[] } = { rows: [] };
		await open(async (opened) => {
			result = await opened.query(text, values);
		}, givenUp);
		return result;
	};
	return {
		isCommitUnseen: true,
		async transaction(binding, opening, work, givenUp) {
			const bound = await runAlone({ query }, binding.text, binding.values, givenUp);
			await open(async (opened) => {
				const rows: Rows[] = [bound];
				for (const { text, values } of opening) rows.push((await opened.query(text, values)).rows);
				const closing = await work(opened, rows);
				try {
					for (const { text, values } of closing) await opened.query(text, values);
				} catch (error) {
					opened.destroy?.();
					throw error;
				}
			}, givenUp);
		},
		query,
	};
}

/** Runs a statement that commits at once. */
function runAlone(
	transactions: Pick<Transactions<unknown>, "query">,
	text: string,
	values: (string | number)[],
	givenUp: AbortSignal,
): Promise<SqlRow[]> {
	return repeating(async (...given) => (await transactions.query(...given, givenUp)).rows)(text, values);
}
