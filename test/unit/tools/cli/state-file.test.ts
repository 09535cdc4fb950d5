import { execFileSync, spawnSync } from "node:child_process";
import {
	chmodSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, expect, test } from "vitest";
import { openStateFile } from "../../../../src/tools/cli/dev/state-file.ts";
import { createControlledGateway } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

let folder: string;
let path: string;

beforeEach(() => {
	folder = temporaryFolder();
	path = join(folder, "state.json");
});

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

function expectRejected(message: string | RegExp): void {
	expect(() => openStateFile(path)).toThrow(
		expect.objectContaining({ code: "configuration", message: expect.stringMatching(message) }),
	);
}

test("the content is replaced as a whole, and read back", () => {
	const file = openStateFile(path);
	expect(file.read()).toBe("");
	file.replace("longer than the next");
	file.replace('{"text":"ünï 🎉\\u0000"}');
	file.close();
	expect(readdirSync(folder)).toEqual(["state.json"]);
	const again = openStateFile(path);
	expect(again.read()).toBe('{"text":"ünï 🎉\\u0000"}');
	again.close();
});

test("a write that fails leaves the content as it is", () => {
	const file = openStateFile(path);
	file.replace("before");
	mkdirSync(`${path}.new`);
	expect(() => file.replace("after")).toThrow();
	expect(readFileSync(path, "utf8")).toBe("before");
	rmSync(`${path}.new`, { recursive: true });
	file.replace("after");
	expect(readFileSync(path, "utf8")).toBe("after");
	file.close();
});

test("every file is readable by its owner only, from the first write on", () => {
	writeFileSync(path, "", { mode: 0o644 });
	const file = openStateFile(path);
	// As a killed process leaves it.
	writeFileSync(`${path}.new`, "half", { mode: 0o644 });
	file.replace("content");
	expect(readdirSync(folder).map((name) => modeOf(join(folder, name)))).toEqual(["600", "600"]);
	file.close();
});

test("a link to the file stays one", () => {
	writeFileSync(join(folder, "target.json"), "");
	symlinkSync("target.json", path);
	const file = openStateFile(path);
	file.replace("content");
	file.close();
	expect(lstatSync(path).isSymbolicLink()).toBe(true);
	expect(readFileSync(join(folder, "target.json"), "utf8")).toBe("content");
});

test("it belongs to one process at a time", () => {
	writeFileSync(`${path}.lock`, String(process.ppid));
	expectRejected(/is in use by another process: stop process \d+, or name another file/);
	expect(readFileSync(`${path}.lock`, "utf8")).toBe(String(process.ppid));
});

test.each([
	["a process that ended", () => spawnSync(process.execPath, ["--version"]).pid],
	["a process of an earlier container", () => process.pid],
	["nobody", () => ""],
])("the lock of %s doesn't count", (_whose, holder) => {
	writeFileSync(`${path}.lock`, String(holder()));
	const file = openStateFile(path);
	expect(readFileSync(`${path}.lock`, "utf8")).toBe(String(process.pid));
	file.close();
});

test("it must be in a folder that exists", () => {
	path = join(folder, "none", "state.json");
	expectRejected("can't be created: name one in another folder");
});

test("it must be readable and writable", () => {
	const state = openStateFile(path);
	rmSync(path);
	expect(() => createControlledGateway({ state })).toThrow(
		"can't be read and written: change its mode, or name another file",
	);
	expect(readdirSync(folder)).toEqual([]);
});

// Reading a pipe would block; a device reads as empty, and its mode would change.
test.each<[string, () => unknown]>([
	["a folder", () => mkdirSync(path)],
	["a pipe", () => execFileSync("mkfifo", [path])],
	["a link to a folder", () => symlinkSync(mkdtempSync(join(folder, "other-")), path)],
])("it must be a regular file: %s keeps its mode", (_what, make) => {
	make();
	chmodSync(path, 0o755);
	expectRejected("isn't a regular file");
	expect(modeOf(path)).toBe("755");
});

test("it must be a regular file: a broken link stays unchanged", () => {
	symlinkSync("nowhere", path);
	expectRejected("isn't a regular file");
	expect(readdirSync(folder)).toEqual(["state.json"]);
});

test("a gateway restores its state from the file", async () => {
	const before = createControlledGateway({ state: openStateFile(path), deliverTo: () => new Response() });
	const attachments = [{ name: "a.png", mimeType: "image/png", data: "AAEC" }];
	await before.control.act({ type: "reply", from: "+15551234567", text: "Hi", attachments });
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
