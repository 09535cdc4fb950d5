import { DatabaseSync, type StatementSync } from "node:sqlite";
import { assertKnownKeys } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { createSqlStore, type RunSql, type SqlDialect, type SqlStore, tableStatements } from "./sql-store.ts";
import { assertDuration } from "./with-timeout.ts";

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions {
	/** The database file, which is created where it is missing; `":memory:"` for none. */
	path: string;
	/**
	 * The longest that one call may wait for another process, in milliseconds. Nothing else of this process runs
	 * meanwhile.
	 * @default 1_000
	 */
	timeoutMs?: number | undefined;
}

/** A store in a file of SQLite. */
export interface SqliteStore extends SqlStore, Disposable {
	/** Closes the file. */
	close(): void;
}

const TABLE = "messaging_gateway_records";

const SQLITE: SqlDialect = {
	now: "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
	greatest: "max",
	key: "text PRIMARY KEY",
	skipLocked: "",
};

/**
 * A store in a file of SQLite, through `node:sqlite`: for the processes of one machine. Nothing is lost when a process
 * or the machine fails. Rows that are over are removed as others are written.
 *
 * @throws ConfigurationError when an option cannot be used, or the file not be opened.
 * @example
 * ```ts
 * const store = sqliteStore({ path: "webhooks.db" });
 * ```
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
	assertKnownKeys("sqliteStore options", options, ["path", "timeoutMs"]);
	const { path, timeoutMs = 1_000 } = options;
	assertDuration("timeoutMs", timeoutMs);
	if (typeof path !== "string" || path === "") throw new ConfigurationError("path must name a file");
	const database = open(path, timeoutMs);
	const prepared = new Map<string, StatementSync>();

	const run: RunSql = async (text, values) => {
		let statement = prepared.get(text);
		if (statement === undefined) {
			statement = database.prepare(text);
			prepared.set(text, statement);
		}
		return statement.all(Object.fromEntries(values.map((value, at) => [`$${at + 1}`, value])));
	};

	return {
		...createSqlStore(run, TABLE, SQLITE),
		close: () => database.close(),
		[Symbol.dispose]: () => database.close(),
	};
}

function open(path: string, timeoutMs: number): DatabaseSync {
	try {
		const database = new DatabaseSync(path);
		// Readers and one writer at a time do not hold each other up, and a commit reaches the disk.
		database.exec(
			`PRAGMA busy_timeout = ${Math.ceil(timeoutMs)}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL`,
		);
		for (const statement of tableStatements(TABLE, SQLITE)) database.exec(statement);
		return database;
	} catch (cause) {
		throw new ConfigurationError(`path cannot be opened as a database of SQLite: ${path}`, { cause });
	}
}
