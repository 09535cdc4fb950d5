import { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../../library/errors.ts";
import { STATE_VERSION } from "../../control/state/rows.ts";
import type { FoundRow, StateChange, StateStore } from "../../control/state/state-store.ts";
import { createFileNonceStore, NONCE_TABLE } from "./file-nonce-store.ts";
import { APPLICATION_ID, prepareFile } from "./state-file-header.ts";

/** How long to wait for another process that is about to exit. */
const BUSY_TIMEOUT_MS = 1_000;

/** SQLite's error code for a locked file. */
const SQLITE_BUSY = 5;

const THINGS_TABLE = `CREATE TABLE things (
	kind TEXT NOT NULL,
	id TEXT NOT NULL,
	value NOT NULL,
	PRIMARY KEY (kind, id)
)`;

/**
 * Opens the file that keeps a gateway's state, or creates it, readable by its owner only. One process at a time can
 * use it. Written data survives a crash of the process.
 *
 * @throws ConfigurationError if the file has another format or version, or is in use. It is then not changed.
 */
export function openStateFile(path: string): StateStore {
	const database = openDatabase(path, prepareFile(path));
	const insert = database.prepare("INSERT OR REPLACE INTO things (kind, id, value) VALUES (?, ?, ?)");
	const remove = database.prepare("DELETE FROM things WHERE kind = ? AND id = ?");
	let isOpen = true;

	function write({ kind, id, value }: StateChange): void {
		if (value === undefined) remove.run(kind, id);
		else insert.run(kind, id, value);
	}

	return {
		load: () => database.prepare("SELECT kind, id, value FROM things").all().map(toFoundRow),
		save(changes, isCleared) {
			inTransaction(database, () => {
				if (isCleared) database.exec("DELETE FROM things");
				for (const change of changes) write(change);
			});
		},
		nonceStore: createFileNonceStore(database),
		close() {
			if (isOpen) database.close();
			isOpen = false;
		},
	};
}

function openDatabase(path: string, isNew: boolean): DatabaseSync {
	const database = new DatabaseSync(path);
	try {
		database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA locking_mode = EXCLUSIVE`);
		// Acquires the exclusive lock, which is held until the database is closed.
		inTransaction(database, () => {
			if (isNew) createTables(database);
		});
		// No fsync per write: data must survive a crash of the process, not of the machine.
		database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
		return database;
	} catch (cause) {
		database.close();
		const isBusy = cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_BUSY;
		const problem = isBusy
			? "is in use by another process: stop it, or name another file"
			: "cannot be opened";
		throw new ConfigurationError(`the state file ${path} ${problem}`, { cause });
	}
}

function createTables(database: DatabaseSync): void {
	database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${STATE_VERSION}`);
	database.exec(THINGS_TABLE);
	database.exec(NONCE_TABLE);
}

function inTransaction(database: DatabaseSync, work: () => void): void {
	database.exec("BEGIN IMMEDIATE");
	try {
		work();
		database.exec("COMMIT");
	} catch (error) {
		if (database.isTransaction) database.exec("ROLLBACK");
		throw error;
	}
}

function toFoundRow({ kind, id, value }: Record<string, unknown>): FoundRow {
	return {
		kind: String(kind),
		id: String(id),
		value: value instanceof Uint8Array ? value : String(value),
	};
}
