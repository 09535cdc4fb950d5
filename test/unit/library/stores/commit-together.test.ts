import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { committingTogether } from "../../../../src/library/stores/commit-together.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** A file with a table of keys, and another connection to it. */
function createFile() {
	const path = join(temporaryFolder(), "keys.db");
	const database = new DatabaseSync(path);
	database.exec("PRAGMA journal_mode = WAL; CREATE TABLE keys (key text PRIMARY KEY, value text)");
	const store = committingTogether(database);
	const other = new DatabaseSync(path);
	onTestFinished(() => other.close());
	const kept = () =>
		other
			.prepare("SELECT key FROM keys ORDER BY key")
			.all()
			.map(({ key }) => key);
	const insert = (key: string, value = "") =>
		store.run("INSERT INTO keys VALUES ($1, $2) RETURNING key", [key, value]);
	const { prototype } = database.prepare("SELECT 1").constructor as typeof StatementSync;
	return { database, store, other, kept, insert, prototype };
}

/** The messages of the errors, and the rows of the others. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<unknown[]> {
	return (await Promise.allSettled(calls)).map((ended) =>
		ended.status === "fulfilled" ? ended.value : String(ended.reason.message),
	);
}

test("the statements of a turn share a transaction, and those of the next have another one", async () => {
	const { insert, prototype, kept, store } = createFile();
	const all = vi.spyOn(prototype, "all");
	onTestFinished(() => all.mockRestore());
	await Promise.all(["a", "b", "c"].map((key) => insert(key)));
	expect(all).toHaveBeenCalledTimes(5);
	await insert("d");
	expect(all).toHaveBeenCalledTimes(8);
	all.mockRestore();
	expect(kept()).toEqual(["a", "b", "c", "d"]);
	store.close();
});

test("of more than a hundred, the others wait for the next turn", async () => {
	const { insert, prototype, kept, store } = createFile();
	const all = vi.spyOn(prototype, "all");
	onTestFinished(() => all.mockRestore());
	await Promise.all(Array.from({ length: 101 }, (_, at) => insert(`${at}`)));
	expect(all).toHaveBeenCalledTimes(101 + 4);
	all.mockRestore();
	expect(kept()).toHaveLength(101);
	store.close();
});

test("a statement that breaks a constraint fails alone", async () => {
	const { insert, kept, store } = createFile();
	expect(await outcomes([insert("a"), insert("a"), insert("b")])).toEqual([
		[{ key: "a" }],
		expect.stringContaining("UNIQUE"),
		[{ key: "b" }],
	]);
	expect(kept()).toEqual(["a", "b"]);
	store.close();
});

describe("every caller fails, and nothing is kept, if", () => {
	test("an error ended the transaction: a disk that is full", async () => {
		const { database, insert, kept, store } = createFile();
		database.exec("PRAGMA max_page_count = 4");
		const full = expect.stringContaining("full");
		expect(await outcomes([insert("a"), insert("b", "x".repeat(100_000)), insert("c")])).toEqual([
			full,
			full,
			full,
		]);
		expect(kept()).toEqual([]);
		expect(await outcomes([insert("d")])).toEqual([[{ key: "d" }]]);
		store.close();
	});

	test.each([
		["a statement", 10, "disk I/O error", "INSERT"],
		["a statement, also if a later try might succeed", 5, "database is locked", "INSERT"],
		["BEGIN", 10, "disk I/O error", "BEGIN"],
		["COMMIT", 778, "disk I/O error", "COMMIT"],
	])("%s fails with code %i: %s", async (_title, errcode, message, word) => {
		const { insert, kept, store, database } = createFile();
		const { prepare } = database;
		const prepared = vi.spyOn(database, "prepare").mockImplementation((sql) => {
			const statement = prepare.call(database, sql);
			if (sql.startsWith(word))
				vi.spyOn(statement, "all").mockImplementationOnce(() => {
					throw Object.assign(new Error(message), { errcode });
				});
			return statement;
		});
		const failed = expect.stringContaining(message);
		expect(await outcomes([insert("a"), insert("b")])).toEqual([failed, failed]);
		prepared.mockRestore();
		expect(kept()).toEqual([]);
		expect(await outcomes([insert("a")])).toEqual([[{ key: "a" }]]);
		store.close();
	});

	test("COMMIT fails: for what is checked only then", async () => {
		const { database, insert, store, kept } = createFile();
		database.exec(
			"CREATE TABLE children (key text REFERENCES keys (key) DEFERRABLE INITIALLY DEFERRED); PRAGMA foreign_keys = ON",
		);
		const orphan = store.run("INSERT INTO children VALUES ('nobody')", []);
		const broken = expect.stringContaining("FOREIGN KEY");
		expect(await outcomes([insert("a"), orphan, insert("b")])).toEqual([broken, broken, broken]);
		expect(kept()).toEqual([]);
		expect(await outcomes([insert("a")])).toEqual([[{ key: "a" }]]);
		store.close();
	});
});

test("nobody has an answer before COMMIT", async () => {
	const { insert, kept, store } = createFile();
	const seen: unknown[] = [];
	const watch = async (key: string) => {
		await insert(key);
		seen.push(kept());
	};
	await Promise.all([watch("a"), watch("b")]);
	expect(seen).toEqual([
		["a", "b"],
		["a", "b"],
	]);
	store.close();
});

test("a value that SQLite has no form for fails its own statement", async () => {
	const { insert, kept, store } = createFile();
	const wrong = store.run("INSERT INTO keys VALUES ($1, 'b')", [{} as string]);
	expect(await outcomes([insert("a"), wrong, insert("c")])).toEqual([
		[{ key: "a" }],
		expect.stringContaining("cannot be bound"),
		[{ key: "c" }],
	]);
	expect(kept()).toEqual(["a", "c"]);
	store.close();
});

test("BEGIN alone is tried again while another process writes, with what has come meanwhile", async () => {
	const { insert, kept, other, store } = createFile();
	other.exec("BEGIN IMMEDIATE");
	const calls = [insert("a")];
	for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
	calls.push(insert("b"));
	other.exec("ROLLBACK");
	expect(await outcomes(calls)).toEqual([[{ key: "a" }], [{ key: "b" }]]);
	expect(kept()).toEqual(["a", "b"]);
	store.close();
});

test("what was called before close is kept, and what is called after it fails", async () => {
	const { insert, kept, store } = createFile();
	const calls = [insert("a"), insert("b")];
	store.close();
	expect(kept()).toEqual(["a", "b"]);
	expect(await outcomes([...calls, insert("c")])).toEqual([
		[{ key: "a" }],
		[{ key: "b" }],
		expect.stringContaining("finalized"),
	]);
});

test("what waits for another process when the file is closed fails", async () => {
	const { insert, kept, other, store } = createFile();
	other.exec("BEGIN IMMEDIATE");
	const call = insert("a");
	store.close();
	expect(await outcomes([call])).toEqual([expect.stringContaining("locked")]);
	other.exec("COMMIT");
	expect(kept()).toEqual([]);
});
