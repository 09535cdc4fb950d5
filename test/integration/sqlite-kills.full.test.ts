import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Random } from "../chaos/random.ts";
import { SEED } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const WRITER = fileURLToPath(import.meta.resolve("./support/sqlite-writer.ts"));

/** Starts a process that writes keys, and prints those that were answered. */
function startWriter(...given: readonly (string | number)[]) {
	const flags = ["--conditions=@messaging-gateway/source", "--disable-warning=ExperimentalWarning", WRITER];
	const child = spawn(process.execPath, [...flags, ...given.map(String)], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	onTestFinished(() => void child.kill("SIGKILL"));
	return child;
}

/** What a writer had printed when it ended, without a line that was cut, and what ended it. */
async function endOf(
	child: ReturnType<typeof startWriter>,
): Promise<{ answered: string[]; signal: unknown }> {
	const [printed, [, signal]] = await Promise.all([text(child.stdout), once(child, "exit")]);
	return { answered: printed.split("\n").slice(0, -1), signal };
}

/** The keys in the file, as another process finds it. */
function keysOf(path: string): string[] {
	const database = new DatabaseSync(path);
	try {
		expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
		const rows = database.prepare("SELECT key FROM messaging_gateway_records").all();
		return rows.map(({ key }) => String(key).replace("nonce:", ""));
	} finally {
		database.close();
	}
}

const sorted = (keys: readonly string[]) => keys.toSorted();

test.each([
	["before", "COMMIT", 9],
	["after", "BEGIN", 9],
	["before", "INSERT", 137],
	["after", "INSERT", 137],
])("killed %s %s, the %i-th: all that was answered is there, and nothing else", async (moment, word, nth) => {
	const path = join(temporaryFolder(), "records.db");
	const { answered, signal } = await endOf(startWriter(path, "a", 400, moment, word, nth));
	expect(signal).toBe("SIGKILL");
	expect(answered.length).toBeGreaterThan(100);
	expect(sorted(keysOf(path))).toEqual(sorted(answered));
});

test("killed after COMMIT: what is there was answered, but for the statements of that transaction", async () => {
	const path = join(temporaryFolder(), "records.db");
	const { answered } = await endOf(startWriter(path, "a", 400, "after", "COMMIT", 9));
	const kept = keysOf(path);
	expect(answered.filter((key) => !kept.includes(key))).toEqual([]);
	expect(kept.length - answered.length).toBe(16);
});

test("killed from outside after any number of answers: all of them are there", async () => {
	const random = new Random(SEED);
	for (let round = 0; round < 5; round++) {
		const path = join(temporaryFolder(), "records.db");
		const child = startWriter(path, "a", 100_000);
		const wanted = random.between(1, 2_000);
		let seen = 0;
		child.stdout.on("data", (bytes: Buffer) => {
			seen += bytes.toString().split("\n").length - 1;
			if (seen >= wanted) child.kill("SIGKILL");
		});
		const { answered, signal } = await endOf(child);
		expect([signal, answered.length >= wanted]).toEqual(["SIGKILL", true]);
		const kept = new Set(keysOf(path));
		expect(answered.filter((key) => !kept.has(key))).toEqual([]);
	}
});

test("of three processes on one file one is killed within a transaction: the others lose nothing", async () => {
	const path = join(temporaryFolder(), "records.db");
	const writers = [
		startWriter(path, "a", 600),
		startWriter(path, "b", 600),
		startWriter(path, "c", 600, "before", "COMMIT", 7),
	];
	const ends = await Promise.all(writers.map(endOf));
	expect(ends.map(({ signal }) => signal)).toEqual([null, null, "SIGKILL"]);
	// Each commit reaches the disk: `FULL` is 2.
	expect(ends.slice(0, 2).map(({ answered }) => answered.pop())).toEqual(["synchronous 2", "synchronous 2"]);
	const answered = ends.flatMap((end) => end.answered);
	expect(answered.length).toBeGreaterThan(1_200);
	expect(sorted(keysOf(path))).toEqual(sorted(answered));
});
