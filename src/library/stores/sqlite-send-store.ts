// A user's `lib` may lack what `using` needs.
/// <reference lib="esnext.disposable" preserve="true" />
import type { SweepableSendStore } from "./send-store.ts";
import { createSqlSendStore, sendTableStatements } from "./sql-send-store.ts";
import { SQLITE } from "./sqlite-dialect.ts";
import { openSqlite, type SqliteStoreOptions } from "./sqlite-store.ts";
import { SENDS_TABLE } from "./table-names.ts";

/** A store of sends in a file of SQLite. */
export interface SqliteSendStore extends SweepableSendStore, Disposable {
	/** Closes the file. */
	close(): void;
}

/**
 * Remembers sends in a file of SQLite, through `node:sqlite`, for the processes of one machine. A failure of a process
 * or the machine loses nothing. The file may be shared with `sqliteStore`.
 * @throws ConfigurationError if an option is invalid, or the file cannot be opened.
 */
export function sqliteSendStore(options: SqliteStoreOptions): SqliteSendStore {
	const { run, ...closing } = openSqlite(
		"sqliteSendStore",
		options,
		sendTableStatements(SENDS_TABLE, SQLITE),
	);
	return { ...createSqlSendStore(run, SENDS_TABLE, SQLITE), ...closing };
}
