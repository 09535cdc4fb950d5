import { StoreError } from "../store-calls/store-error.ts";
import { findInChain } from "./find-in-chain.ts";
import type { PostgresClient } from "./postgres-client.ts";
import { describeRejection, findCode, isTableMissing } from "./postgres-errors.ts";
import { describeMissing } from "./sql-store.ts";

/** An open transaction. */
export interface PostgresTransaction<Handle> {
	/** Runs a statement in this transaction. */
	readonly query: PostgresClient["query"];
	/** The object that handlers get as `transaction`. */
	readonly handle: Handle;
	/** Fires when the connection is lost, if that shows before the next statement. */
	readonly lost?: AbortSignal | undefined;
	/** Ends the handle. From now on it runs nothing. */
	readonly close?: (() => void) | undefined;
	/** Destroys the connection. Without it the store asks the server to end it, over another one. */
	readonly destroy?: (() => void) | undefined;
}

declare const transactionDone: unique symbol;

/**
 * The result of the inbox's work, for your transaction function to return. It has the type of the handle, and is empty.
 */
export interface TransactionDone<Handle> {
	readonly [transactionDone]?: Handle;
}

/**
 * Opens a transaction, does the work in it, and commits. It rolls back if the work rejects, and resolves to the result
 * of the work.
 */
export type TransactionFunction<Handle> = (
	work: <Opened>(transaction: PostgresTransaction<Opened>) => Promise<TransactionDone<Opened>>,
) => Promise<TransactionDone<Handle>>;

/** A statement with the values of `$1`, `$2`, and so on. */
export interface Statement {
	readonly text: string;
	readonly values: (string | number)[];
}

/** The rows of a statement. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** How the inbox reaches its database. */
export interface Transactions<Handle> {
	/**
	 * Rejects if the transaction did not commit. Statements that stand together take one round trip where that can be had,
	 * the binding with the opening.
	 * @param binding - a statement that commits before the transaction begins, so it stays if that is rolled back. Its rows are
	 * the first that the work gets.
	 * @param opening - the transaction's first statements.
	 * @param work - gets their rows, and resolves to the last statements before COMMIT: if one fails, nothing commits.
	 * @param givenUp - fires when nobody waits any more: the connection may be dead, so it is destroyed where possible.
	 */
	transaction(
		binding: Statement,
		opening: readonly Statement[],
		work: (transaction: PostgresTransaction<Handle>, opened: readonly Rows[]) => Promise<Statement[]>,
		givenUp: AbortSignal,
	): Promise<void>;
	/**
	 * Runs a statement that commits at once.
	 * @param givenUp - as that of a transaction.
	 */
	query(
		text: string,
		values: (string | number)[],
		givenUp?: AbortSignal,
	): ReturnType<PostgresClient["query"]>;
	/** Whether a commit has to be looked up, because its command tag is not visible. */
	readonly isCommitUnseen: boolean;
}

/** The handler has broken its transaction. */
export class BrokenTransactionError extends Error {
	override readonly name = "BrokenTransactionError";
}

/** The database failed. Its message has no value of a statement, which the errors of libraries contain. */
export class InboxDatabaseError extends StoreError {
	override get name() {
		return "InboxDatabaseError" as const;
	}
}

/** A swallowed error makes COMMIT a rollback that reports no error. */
export const ROLLED_BACK = "a statement of the handler failed, and its transaction was rolled back";

/** Names what failed, and what to do about it. */
export function toStoreError(error: unknown, table: string): StoreError {
	if (error instanceof StoreError) return error;
	if (isTableMissing(error)) {
		return new InboxDatabaseError(describeMissing(table, "postgresTable"));
	}
	const rejection = describeRejection(error, table);
	if (rejection !== undefined) return new InboxDatabaseError(rejection);
	if (/statement pooling/.test(String(findInChain(error, "message")))) {
		return new InboxDatabaseError(
			"PgBouncer is in statement mode, which has no transactions: use transaction mode",
		);
	}
	return new InboxDatabaseError(
		`the inbox's database failed: ${findCode(error) ?? "the connection was lost or misused"}`,
	);
}
