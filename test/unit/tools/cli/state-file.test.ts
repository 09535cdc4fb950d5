import { execFileSync, spawnSync } from "node:child_process";
import {
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
import { ConfigurationError } from "messaging-gateway";
import { beforeEach, describe, expect, test } from "vitest";
import { openStateFile } from "../../../../src/tools/cli/dev/state-file.ts";
import { createControlledGateway } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

let folder: string;
let path: string;

beforeEach(() => {
	folder = temporaryFolder();
	path = join(folder, "state.json");
});

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

/** The content of a state file, or the whole error, and what its lock says then. */
function openedOrNot(): string {
	try {
		const file = openStateFile(path);
		const opened = `opened, with ${file.read() || "nothing"} in it, locked by ${lockHolder()}`;
		file.close();
		return `${opened}, and then by ${lockHolder()}`;
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		return error.message.replaceAll(path, "FILE").replaceAll(String(process.ppid), "PARENT");
	}
}

/** Whose process holds the lock, which stands next to what a link leads to. */
function lockHolder(): string {
	const name = readdirSync(folder).find((each) => each.endsWith(".lock"));
	const holder = name === undefined ? "nobody" : readFileSync(join(folder, name), "utf8");
	return holder === String(process.pid) ? "this process" : holder;
}

const lock = (holder: () => unknown) => () => {
	writeFileSync(path, "content");
	writeFileSync(`${path}.lock`, String(holder()));
};

const NO_FILE = "The state file FILE isn't a regular file: name another one";

/** What is there before a gateway starts. */
const FOUND: Outcomes<() => unknown> = {
	"opened, with nothing in it, locked by this process, and then by nobody": {
		"no file": () => undefined,
		"an empty file": () => writeFileSync(path, ""),
	},
	"opened, with content in it, locked by this process, and then by nobody": {
		"a file": () => writeFileSync(path, "content"),
		"a link to a file": () => {
			writeFileSync(join(folder, "target.json"), "content");
			symlinkSync("target.json", path);
		},
		"the lock of a process that ended": lock(() => spawnSync(process.execPath, ["--version"]).pid),
		"the lock of a process of an earlier container": lock(() => process.pid),
		"the lock of nobody": lock(() => ""),
	},
	"The state file FILE is in use by another process: stop process PARENT, or name another file; if that process is no gateway, remove FILE.lock":
		{ "the lock of a process that runs": lock(() => process.ppid) },
	"The state file FILE can't be created: name one in another folder": {
		"no folder": () => {
			path = join(folder, "none", "state.json");
		},
	},
	// Reading a pipe would block; a device reads as empty, and its mode would change.
	[NO_FILE]: {
		"a folder": () => mkdirSync(path, { mode: 0o755 }),
		"a pipe": () => execFileSync("mkfifo", ["-m", "755", path]),
		"a link to a folder": () => symlinkSync(mkdtempSync(join(folder, "other-")), path),
		"a broken link": () => symlinkSync("nowhere", path),
	},
};

/** What exists in the folder, with its kind, mode and content. */
const entries = () =>
	readdirSync(folder).map((name) => {
		const file = lstatSync(join(folder, name));
		return [name, file.mode, file.isFile() && readFileSync(join(folder, name), "utf8")];
	});

describe("a gateway whose state file is", () =>
	testOutcomes(FOUND, (make) => {
		make();
		const before = entries();
		const outcome = openedOrNot();
		if (!outcome.startsWith("opened")) expect(entries()).toEqual(before);
		return outcome;
	}));

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

test("it must be readable and writable", () => {
	const state = openStateFile(path);
	rmSync(path);
	expect(() => createControlledGateway({ state })).toThrow(
		`The state file ${path} can't be read and written: change its mode, or name another file`,
	);
	expect(readdirSync(folder)).toEqual([]);
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
