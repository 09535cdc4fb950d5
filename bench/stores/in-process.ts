import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { mock } from "node:test";
import { sqliteStore } from "messaging-gateway/stores/sqlite";
import { memoryStore } from "messaging-gateway/webhooks";
import type { AtEnd } from "../cases.ts";
import { readLiveHeap } from "../heap.ts";
import { UPSERT } from "./postgres.ts";
import type { OpenSubject } from "./subject.ts";

/** A folder that is removed at the end. */
export function createFolder(atEnd: AtEnd): string {
	const folder = mkdtempSync(join(tmpdir(), "bench-sqlite-"));
	atEnd(() => rmSync(folder, { recursive: true }));
	return folder;
}

/** The store in a file, and raw statements in another one with the same pragmas. */
export const openSqlite: OpenSubject = async (atEnd) => {
	const folder = createFolder(atEnd);
	const path = join(folder, "store.db");
	const store = sqliteStore({ path });
	atEnd(() => store.close());
	// A second connection to the store's file: the store keeps its own to itself.
	const side = new DatabaseSync(path);
	const rawDatabase = new DatabaseSync(join(folder, "raw.db"));
	for (const database of [side, rawDatabase]) atEnd(() => database.close());
	rawDatabase.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
	rawDatabase.exec("CREATE TABLE raw_records (key text PRIMARY KEY, value text, expires_at bigint)");
	const upsert = rawDatabase.prepare(UPSERT.replace(/\$\d/g, "?"));
	const version = side.prepare("SELECT sqlite_version() AS version").get()?.["version"];
	return {
		kind: "SQLite",
		name: `SQLite ${version}, WAL, synchronous FULL`,
		store,
		write: async (key, value, _condition, lifeMs) => upsert.run(key, value, Date.now() + lifeMs),
		async reset() {
			side.exec(`DELETE FROM messaging_gateway_records; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`);
			rawDatabase.exec(`DELETE FROM raw_records; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`);
		},
		async measureSizes() {
			side.exec("PRAGMA wal_checkpoint(TRUNCATE)");
			return { "SQLite: disk": statSync(path).size };
		},
		spyOnClient: () => [mock.method(StatementSync.prototype, "all")],
	};
};

/** The store in memory; with its default bound, the benchmark would measure evictions. */
export const openMemory: OpenSubject = async () => {
	const createStore = () => memoryStore({ maxEntries: 10_000_000 });
	let store = createStore();
	return {
		kind: "memory",
		name: "memory",
		get store() {
			return store;
		},
		async reset() {
			store = createStore();
		},
		measureSizes: async () => ({ "memory: heap": await readLiveHeap() }),
		spyOnClient: () => [],
	};
};
