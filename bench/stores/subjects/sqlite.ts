import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { mock } from "node:test";
import { sqliteStore } from "messaging-gateway/stores/sqlite";
import type { AtEnd } from "../../at-end.ts";
import type { RawSteps, Subject } from "../subject.ts";
import { BINDING_MS, RETENTION_MS } from "../times.ts";

const UPSERT = `INSERT INTO raw_records (key, value, expires_at) VALUES (?, ?, ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`;

/** The store in a file, and raw statements in another one with the same pragmas. */
export function openSqlite(atEnd: AtEnd): Subject[] {
	const folder = mkdtempSync(join(tmpdir(), "bench-sqlite-"));
	atEnd(() => rmSync(folder, { recursive: true }));
	const path = join(folder, "store.db");
	const store = sqliteStore({ path });
	atEnd(() => store.close());
	/** A second connection to the store's file: the store keeps its own to itself. */
	const side = new DatabaseSync(path);
	atEnd(() => side.close());
	const rawDatabase = new DatabaseSync(join(folder, "raw.db"));
	atEnd(() => rawDatabase.close());
	rawDatabase.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
	rawDatabase.exec("CREATE TABLE raw_records (key text PRIMARY KEY, value text, expires_at bigint)");
	const version = side.prepare("SELECT sqlite_version() AS version").get()?.["version"];
	return [
		{
			name: "sqlite",
			server: `SQLite ${version}, WAL, synchronous FULL`,
			client: "node:sqlite, in the process",
			store,
			raw: createRawSteps(rawDatabase),
			async reset() {
				for (const [database, table] of [
					[side, "messaging_gateway_records"],
					[rawDatabase, "raw_records"],
				] as const) {
					database.exec(`DELETE FROM ${table}; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`);
				}
			},
			async measureSizes() {
				side.exec("PRAGMA wal_checkpoint(TRUNCATE)");
				return { total: statSync(path).size };
			},
			async countCalls(run) {
				const { mock: calls } = mock.method(StatementSync.prototype, "all");
				await run();
				calls.restore();
				return calls.callCount();
			},
		},
	];
}

function createRawSteps(database: DatabaseSync): RawSteps {
	const statement = database.prepare(UPSERT);
	const upsert = async (key: string, value: string, lifeMs: number) =>
		statement.run(key, value, Date.now() + lifeMs);
	return {
		claim: (key) => upsert(key, "held", RETENTION_MS),
		complete: (key) => upsert(key, "done", RETENTION_MS),
		bind: (digest, eventId) => upsert(digest, eventId, BINDING_MS),
	};
}
