import type { DatabaseSync, StatementSync } from "node:sqlite";
// As it was at import: a test that fakes timers must not stop the store.
import { setImmediate } from "node:timers";
import type { RunSql, SqlRow } from "./sql-store.ts";
import { whenFree } from "./when-free.ts";

/** A statement that waits for its transaction. */
interface Waiting {
	readonly sql: string;
	readonly values: (string | number)[];
	readonly resolve: (rows: SqlRow[]) => void;
	readonly reject: (error: unknown) => void;
}

/** How many statements share a transaction at most: the process does nothing else meanwhile. */
const MAX_TOGETHER = 100;

/** The result code of a statement that broke a constraint (sqlite.org/rescode.html). */
const SQLITE_CONSTRAINT = 19;

/**
 * Runs the statements of one turn of the event loop in one transaction, so that they share its write to the disk. Nobody
 * gets an answer before COMMIT; if that fails, all of them do.
 */
export function committingTogether(database: DatabaseSync): {
	readonly run: RunSql;
	readonly close: () => void;
	readonly [Symbol.dispose]: () => void;
} {
	const prepared = new Map<string, StatementSync>();
	const waiting: Waiting[] = [];
	let isUnderWay = false;

	function prepare(sql: string): StatementSync {
		const statement = prepared.get(sql) ?? database.prepare(sql);
		prepared.set(sql, statement);
		return statement;
	}

	/** Returns how to answer, once it is committed. @throws what ended the transaction. */
	function execute({ sql, values, resolve, reject }: Waiting): () => void {
		try {
			const named = Object.fromEntries(values.map((value, at) => [`$${at + 1}`, value]));
			const rows = prepare(sql).all(named);
			return () => resolve(rows);
		} catch (error) {
			if (!isOwn(error)) throw error;
			return () => reject(error);
		}
	}

	/** Does nothing, and throws, while another process writes. Nothing is awaited in here. */
	function commitTogether(): void {
		prepare("BEGIN IMMEDIATE").all();
		const together = waiting.splice(0, MAX_TOGETHER);
		try {
			const answers = together.map(execute);
			prepare("COMMIT").all();
			for (const answer of answers) answer();
		} catch (error) {
			rollBack();
			for (const { reject } of together) reject(error);
		}
	}

	function rollBack(): void {
		try {
			prepare("ROLLBACK").all();
		} catch {
			// The error had ended the transaction.
		}
	}

	function rejectAll(error: unknown): void {
		for (const { reject } of waiting.splice(0)) reject(error);
	}

	function start(): void {
		isUnderWay = waiting.length > 0;
		if (isUnderWay) setImmediate(() => void whenFree(commitTogether).catch(rejectAll).then(start));
	}

	function close(): void {
		try {
			while (waiting.length > 0) commitTogether();
		} catch (error) {
			rejectAll(error);
		}
		database.close();
	}

	return {
		run: (sql, values) =>
			new Promise((resolve, reject) => {
				waiting.push({ sql, values, resolve, reject });
				if (!isUnderWay) start();
			}),
		close,
		[Symbol.dispose]: close,
	};
}

/** Whether an error is its statement's alone. Others, such as that of a full disk, may have ended the transaction. */
function isOwn(error: unknown): boolean {
	const { errcode }: { errcode?: unknown } = Object(error);
	return typeof errcode !== "number" || (errcode & 0xff) === SQLITE_CONSTRAINT;
}
