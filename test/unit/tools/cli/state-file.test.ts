import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStateFile } from "../../../../src/tools/cli/dev/state-file.ts";
import { createControlledGateway } from "../../../../src/tools/control/create-controlled-gateway.ts";

const ALICE = "+15551234567";

let folder: string;
let path: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-state-"));
	path = join(folder, "state.db");
});

afterEach(() => {
	vi.useRealTimers();
	rmSync(folder, { recursive: true, force: true });
});

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe("the rows", () => {
	test("are read back, strings and bytes", () => {
		const file = openStateFile(path);
		expect(file.load()).toEqual([]);
		const bytes = new Uint8Array([0, 1, 255]);
		file.save(
			[
				{ kind: "message", id: "1", value: '{"text":"ünï 🎉\\u0000"}' },
				{ kind: "attachment", id: "1", value: bytes },
			],
			false,
		);
		file.close();
		const again = openStateFile(path);
		expect(again.load()).toEqual([
			{ kind: "message", id: "1", value: '{"text":"ünï 🎉\\u0000"}' },
			{ kind: "attachment", id: "1", value: bytes },
		]);
		again.close();
	});

	test("are replaced, removed and cleared", () => {
		const file = openStateFile(path);
		const message = (id: string, value: string | undefined) => ({ kind: "message", id, value }) as const;
		file.save([message("1", "a"), message("2", "b")], false);
		file.save([message("1", "c"), message("2", undefined), message("3", undefined)], false);
		expect(file.load()).toEqual([message("1", "c")]);
		file.save([message("4", "d")], true);
		expect(file.load()).toEqual([message("4", "d")]);
		file.close();
	});

	test("are written in one transaction", () => {
		const file = openStateFile(path);
		file.save([{ kind: "message", id: "1", value: "a" }], false);
		const broken = { kind: "message", id: "2", value: JSON.parse("{}") } as const;
		expect(() => file.save([{ kind: "message", id: "3", value: "c" }, broken], true)).toThrow();
		expect(file.load()).toEqual([{ kind: "message", id: "1", value: "a" }]);
		file.save([{ kind: "message", id: "4", value: "d" }], false);
		expect(file.load()).toHaveLength(2);
		file.close();
		file.close();
	});
});

describe("the file", () => {
	test("is readable by its owner only, like SQLite's files beside it", () => {
		const file = openStateFile(path);
		file.save([{ kind: "message", id: "1", value: "a" }], false);
		expect(modeOf(path)).toBe("600");
		for (const ending of ["-wal", "-shm"]) {
			if (existsSync(path + ending)) expect(modeOf(path + ending)).toBe("600");
		}
		expect(existsSync(`${path}-wal`)).toBe(true);
		file.close();
		expect(existsSync(`${path}-wal`)).toBe(false);
	});

	test("may exist and be empty", () => {
		writeFileSync(path, "", { mode: 0o644 });
		openStateFile(path).close();
		expect(modeOf(path)).toBe("600");
	});

	test("is restricted to its owner if others can read it", () => {
		openStateFile(path).close();
		chmodSync(path, 0o644);
		openStateFile(path).close();
		expect(modeOf(path)).toBe("600");
	});

	test("belongs to one process at a time", () => {
		const file = openStateFile(path);
		file.save([{ kind: "message", id: "1", value: "a" }], false);
		expect(() => openStateFile(path)).toThrow(/is in use by another process/);
		expect(file.load()).toHaveLength(1);
		file.close();
		openStateFile(path).close();
	});

	test("must be in a writable folder", () => {
		expect(() => openStateFile(join(folder, "none", "state.db"))).toThrow(
			expect.objectContaining({
				code: "configuration",
				message: expect.stringContaining("cannot be created"),
			}),
		);
	});

	// Reading a pipe would block; a device reads as empty, and its mode would change.
	test.each<[string, () => unknown]>([
		["a folder", () => mkdirSync(path)],
		["a pipe", () => execFileSync("mkfifo", [path])],
		["a link to a folder", () => symlinkSync(mkdtempSync(join(folder, "other-")), path)],
	])("must be a regular file: %s keeps its mode", (_what, make) => {
		make();
		chmodSync(path, 0o755);
		expect(() => openStateFile(path)).toThrow(
			expect.objectContaining({
				code: "configuration",
				message: expect.stringContaining("is not a regular file"),
			}),
		);
		expect(modeOf(path)).toBe("755");
	});

	test("must be a regular file: a broken link stays unchanged", () => {
		symlinkSync("nowhere", path);
		expect(() => openStateFile(path)).toThrow("is not a regular file");
		expect(readdirSync(folder)).toEqual(["state.db"]);
	});
});

describe("a file of another format is rejected and not changed", () => {
	function expectUnchanged(message: RegExp): void {
		const before = readFileSync(path);
		chmodSync(path, 0o644);
		expect(() => openStateFile(path)).toThrow(
			expect.objectContaining({ code: "configuration", message: expect.stringMatching(message) }),
		);
		expect(readFileSync(path).equals(before)).toBe(true);
		expect(modeOf(path)).toBe("644");
		for (const ending of ["-wal", "-shm", "-journal"]) expect(existsSync(path + ending)).toBe(false);
	}

	test.each([
		["a text", "Dear diary"],
		["a short one", "x"],
		["JSON", '{"messages": []}'],
		["something large", "x".repeat(100_000)],
		["the beginning of a database", "SQLite format 3\0"],
	])("%s", (_what, content) => {
		writeFileSync(path, content);
		expectUnchanged(/is not a state file of this package/);
	});

	test("a database of another program", () => {
		const database = new DatabaseSync(path);
		database.exec("CREATE TABLE things (kind, id, value); INSERT INTO things VALUES (1, 2, 3)");
		database.close();
		expectUnchanged(/is not a state file of this package/);
	});

	test.each([0, 1, 99])("a state of version %d", (version) => {
		openStateFile(path).close();
		const database = new DatabaseSync(path);
		database.exec(`PRAGMA journal_mode = DELETE; PRAGMA user_version = ${version}`);
		database.close();
		expectUnchanged(new RegExp(`has version ${version}, but this package needs version 2`));
	});
});

describe("nonces", () => {
	test("are remembered after a restart, until they expire", async () => {
		vi.useFakeTimers({ toFake: ["Date"] });
		const file = openStateFile(path);
		expect(await file.nonceStore.remember("a", 1_000)).toBe(true);
		expect(await file.nonceStore.remember("a", 1_000)).toBe(false);
		file.close();
		const again = openStateFile(path);
		expect(await again.nonceStore.remember("a", 1_000)).toBe(false);
		vi.advanceTimersByTime(999);
		expect(await again.nonceStore.remember("a", 1_000)).toBe(false);
		vi.advanceTimersByTime(1);
		expect(await again.nonceStore.remember("a", 1_000)).toBe(true);
		expect(await again.nonceStore.remember("a", 1_000)).toBe(false);
		again.close();
	});

	test("can be checked without being remembered", async () => {
		vi.useFakeTimers({ toFake: ["Date"] });
		const file = openStateFile(path);
		expect(await file.nonceStore.has?.("a")).toBe(false);
		await file.nonceStore.remember("a", 1_000);
		expect(await file.nonceStore.has?.("a")).toBe(true);
		vi.advanceTimersByTime(1_000);
		expect(await file.nonceStore.has?.("a")).toBe(false);
		file.close();
	});

	test("are removed from the file after they expire", async () => {
		vi.useFakeTimers({ toFake: ["Date"] });
		const file = openStateFile(path);
		for (let at = 0; at < 1_000; at++) {
			await file.nonceStore.remember(`nonce ${at}`, 10);
			vi.advanceTimersByTime(1);
		}
		file.close();
		const database = new DatabaseSync(path, { readOnly: true });
		const { count } = database.prepare("SELECT count(*) AS count FROM nonces").get() ?? {};
		database.close();
		expect(count).toBeLessThan(150);
	});
});

test("a gateway restores its state from the file", async () => {
	const before = createControlledGateway({ state: openStateFile(path), deliverTo: () => new Response() });
	const attachments = [{ name: "a.png", mimeType: "image/png", data: "AAEC" }];
	await before.control.act({ type: "reply", from: ALICE, text: "Hi", attachments });
	await before.local.settled();
	const { messages, conversations } = before.control.snapshot();
	const deliveries = before.control.deliveries({});
	await before.local[Symbol.asyncDispose]();

	const after = createControlledGateway({ state: openStateFile(path), deliverTo: () => new Response() });
	expect(after.control.snapshot()).toMatchObject({ messages, conversations });
	expect(after.control.deliveries({})).toEqual(deliveries);
	const id = String(messages[0]?.attachments[0]?.["id"]);
	expect([...after.control.attachment(id).bytes]).toEqual([0, 1, 2]);
	await after.local[Symbol.asyncDispose]();
});
