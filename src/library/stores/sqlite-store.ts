// A user's `lib` may lack what `using` needs.
/// <reference lib="esnext.disposable" preserve="true" />
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { assertKnownKeys, assertPositive } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { sleep, systemClock } from "../runtime.ts";
import {
	createSqlStore,
	type RunSql,
	type SqlDialect,
	type SqlRow,
	type SqlStore,
	type TransactSql,
	tableStatements,
} from "./sql-store.ts";
import { DEFAULT_TIMEOUT_MS } from "./with-timeout.ts";

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions {
	/** The database file, which is created if it is missing; `":memory:"` for none. */
	path: string;
	/** The longest that one call may wait for another process, in milliseconds. @default 5_000 */
	timeoutMs?: number | undefined;
}

/** A store in a file of SQLite. */
export interface SqliteStore extends SqlStore, Disposable {
	/** Closes the file. */
	close(): void;
}

const TABLE = "messaging_gateway_records";

/** How long opening waits for another process that is opening the file. */
const OPEN_TIMEOUT_MS = 1_000;

/** The longest wait between two attempts while another process writes to the file. */
const MAX_WAIT_MS = 16;

/** SQLite's code for a file that another process writes to, or restores after a crash. */
const SQLITE_BUSY = 5;

/** An extended code, such as SQLITE_BUSY_RECOVERY, has the primary code in its low byte. */
const PRIMARY_CODE = 0xff;

export const SQLITE: SqlDialect = {
	now: "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
	greatest: "max",
	key: "text PRIMARY KEY",
	skipLocked: "",
};

/**
 * A store in a file of SQLite, through `node:sqlite`: for the processes of one machine. Nothing is lost when a process
 * or the machine fails. Expired rows are removed as others are written.
 *
 * @throws ConfigurationError if an option is invalid, or the file cannot be opened.
 * @example
 * ```ts
 * const store = sqliteStore({ path: "webhooks.db" });
 * ```
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
	assertKnownKeys("sqliteStore options", options, ["path", "timeoutMs"]);
	const { run, transact, ...closing } = openSqlite(options, tableStatements(TABLE, SQLITE));
	return { ...createSqlStore(run, TABLE, SQLITE, transact), ...closing };
}

interface OpenSqlite extends Disposable {
	readonly run: RunSql;
	readonly transact: TransactSql;
	readonly close: () => void;
}

/** Opens a file, and creates its tables if they are missing. */
export function openSqlite(options: SqliteStoreOptions, tables: readonly string[]): OpenSqlite {
	const { path, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
	assertPositive("timeoutMs", timeoutMs);
	if (typeof path !== "string" || path === "") throw new ConfigurationError("path must name a file");
	const database = open(path, tables);
	const prepared = new Map<string, StatementSync>();

	function execute(sql: string, values: (string | number)[] = []): SqlRow[] {
		let statement = prepared.get(sql);
		if (statement === undefined) {
			statement = database.prepare(sql);
			prepared.set(sql, statement);
		}
		return statement.all(Object.fromEntries(values.map((value, at) => [`$${at + 1}`, value])));
	}

	/** Does something once no other process writes to the file. */
	async function whenFree<Result>(work: () => Result): Promise<Result> {
		const deadline = systemClock.now() + timeoutMs;
		for (let waitMs = 1; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
			try {
				return work();
			} catch (error) {
				if (!isBusy(error) || systemClock.now() + waitMs > deadline) throw error;
			}
			await sleep(waitMs);
		}
	}

	const run: RunSql = (sql, values) => whenFree(() => execute(sql, values));

	const transact: TransactSql = (work) =>
		whenFree(() => {
			execute("BEGIN IMMEDIATE");
			try {
				const result = work(execute);
				execute("COMMIT");
				return result;
			} catch (error) {
				rollBack(database);
				throw error;
			}
		});

	return { run, transact, close: () => database.close(), [Symbol.dispose]: () => database.close() };
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
		throw new ConfigurationError(`path cannot be opened as a SQLite database: ${path}`, { cause });
	}
}

/** Some errors have rolled back already, and the error itself is what counts. */
function rollBack(database: DatabaseSync): void {
	try {
		database.exec("ROLLBACK");
	} catch {
		// There was nothing to roll back.
	}
}

function isBusy(error: unknown): boolean {
	const { errcode } = (error ?? {}) as { errcode?: unknown };
	return typeof errcode === "number" && (errcode & PRIMARY_CODE) === SQLITE_BUSY;
}
