// A user's `lib` may lack what `using` needs.
/// <reference lib="esnext.disposable" preserve="true" />
import { DatabaseSync } from "node:sqlite";
import { assertAll, assertArgument, wrongArgument } from "../assert-argument.ts";
import { assertKnownKeys } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { committingTogether } from "./commit-together.ts";
import { REPLACED_STORE_OPTIONS } from "./replaced-options.ts";
import { createSqlStore, type RunSql, type SqlStore, tableStatements } from "./sql-store.ts";
import { SQLITE } from "./sqlite-dialect.ts";
import { RECORDS_TABLE } from "./table-names.ts";

/** The options of {@link sqliteStore}. */
export interface SqliteStoreOptions {
	/** The database file, which is created if it is missing. Use `":memory:"` for none. */
	path: string;
}

/** A store in a file of SQLite. */
export interface SqliteStore extends SqlStore, Disposable {
	/** Closes the file. */
	close(): void;
}

/** How long opening waits for another process that is opening the file. */
const OPEN_TIMEOUT_MS = 1_000;

/**
 * Remembers events and nonces in a file of SQLite, through `node:sqlite`, for the processes of one machine. A failure
 * of a process or the machine loses nothing. It removes expired rows as it writes others.
 *
 * @throws ConfigurationError if an option is invalid, or the file cannot be opened.
 * @example
 * ```ts
 * const store = sqliteStore({ path: "webhooks.db" });
 * ```
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
	const { run, ...closing } = openSqlite("sqliteStore", options, tableStatements(RECORDS_TABLE, SQLITE));
	return { ...createSqlStore(run, RECORDS_TABLE, SQLITE), ...closing };
}

interface OpenSqlite extends Disposable {
	readonly run: RunSql;
	readonly close: () => void;
}

/** Opens a file, and creates its tables if they are missing. */
export function openSqlite(
	store: "sqliteStore" | "sqliteSendStore",
	options: SqliteStoreOptions,
	tables: readonly string[],
): OpenSqlite {
	const file = store === "sqliteStore" ? "webhooks.db" : "sends.db";
	const needed = [store, "a path", `{ path: "${file}" }`] as const;
	assertArgument(...needed, options);
	const { path } = options;
	assertAll([
		() => assertKnownKeys(`${store} options`, options, ["path"], REPLACED_STORE_OPTIONS),
		() => {
			if (typeof path !== "string" || path === "") throw wrongArgument(...needed, options);
		},
	]);
	return committingTogether(open(path, tables));
}

function open(path: string, tables: readonly string[]): DatabaseSync {
	try {
		const database = new DatabaseSync(path);
		database.exec(`PRAGMA busy_timeout = ${OPEN_TIMEOUT_MS}`);
		// Readers and one writer do not block each other, and a commit reaches the disk.
		database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
		for (const statement of tables) database.exec(statement);
		// From here on `run` waits: SQLite would block the whole process.
		database.exec("PRAGMA busy_timeout = 0");
		return database;
	} catch (cause) {
		throw new ConfigurationError(
			"path can't be opened as a SQLite database. Check that its folder exists and is writable",
			{ cause },
		);
	}
}
