import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { committingTogether } from "../../../../src/library/stores/commit-together.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
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

/** What is called in one turn of a file. */
type Calls = (file: ReturnType<typeof createFile>) => Promise<unknown>[];

const two: Calls = ({ insert }) => [insert("a"), insert("b")];

/** The first statement that begins so fails once, as SQLite's do. */
function failing(word: string, errcode: number, message: string): Calls {
	return (file) => {
		const { database } = file;
		const { prepare } = database;
		vi.spyOn(database, "prepare").mockImplementation((sql) => {
			const statement = prepare.call(database, sql);
			if (sql.startsWith(word))
				vi.spyOn(statement, "all").mockImplementationOnce(() => {
					throw Object.assign(new Error(message), { errcode });
				});
			return statement;
		});
		return two(file);
	};
}

const NONE_OF_TWO = (message: string) => `${message}, ${message}; kept: none`;
const NONE_OF_THREE = (message: string) => `${message}, ${message}, ${message}; kept: none`;

const TURNS: Outcomes<Calls> = {
	"a, b; kept: a, b": { "statements that succeed": two },
	"a, UNIQUE constraint failed: keys.key, b; kept: a, b": {
		"a constraint that is broken fails its own statement": ({ insert }) => [
			insert("a"),
			insert("a"),
			insert("b"),
		],
	},
	"a, Provided value cannot be bound to SQLite parameter 1., b; kept: a, b": {
		"a value that SQLite has no form for fails its own statement": ({ insert, store }) => [
			insert("a"),
			store.run("INSERT INTO keys VALUES ($1, 'b')", [{} as string]),
			insert("b"),
		],
	},
	[NONE_OF_THREE("database or disk is full")]: {
		"a disk that is full, whose error ended the transaction": ({ database, insert }) => {
			database.exec("PRAGMA max_page_count = 4");
			return [insert("a"), insert("b", "x".repeat(100_000)), insert("c")];
		},
	},
	[NONE_OF_TWO("disk I/O error")]: {
		"a statement that fails": failing("INSERT", 10, "disk I/O error"),
		"BEGIN that fails": failing("BEGIN", 10, "disk I/O error"),
		"COMMIT that fails": failing("COMMIT", 778, "disk I/O error"),
	},
	[NONE_OF_TWO("database is locked")]: {
		"a statement that fails, also if a later try might succeed": failing("INSERT", 5, "database is locked"),
	},
	[NONE_OF_THREE("FOREIGN KEY constraint failed")]: {
		"COMMIT that fails for what is checked only then": ({ database, insert, store }) => {
			database.exec(
				"CREATE TABLE children (key text REFERENCES keys (key) DEFERRABLE INITIALLY DEFERRED); PRAGMA foreign_keys = ON",
			);
			return [insert("a"), store.run("INSERT INTO children VALUES ('nobody')", []), insert("b")];
		},
	},
};

describe("of the statements of a turn, and of the next one", () =>
	testOutcomes(TURNS, async (call) => {
		const file = createFile();
		const ended = (await outcomes(call(file))).map((each) => (Array.isArray(each) ? each[0].key : each));
		const kept = file.kept().join(", ") || "none";
		vi.restoreAllMocks();
		expect(await outcomes([file.insert("next")])).toEqual([[{ key: "next" }]]);
		file.store.close();
		return `${ended.join(", ")}; kept: ${kept}`;
	}));

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
