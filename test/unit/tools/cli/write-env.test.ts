import { execFile, execFileSync } from "node:child_process";
import {
	chmodSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseEnv, promisify } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { quoteValue, writeEnvironmentFile } from "../../../../src/tools/cli/dev/write-env.ts";
import { CommandFailure } from "../../../../src/tools/cli/failure.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const run = promisify(execFile);

let folder: string;
let path: string;

beforeEach(() => {
	folder = temporaryFolder();
	path = join(folder, ".env");
});

/** Writes variables, and says what was replaced, or the whole error, which changes nothing. */
function write(variables: Readonly<Record<string, string>>, isForced = false): string {
	try {
		const replaced = writeEnvironmentFile(path, variables, { isForced });
		return replaced.length === 0 ? "written" : `written, with ${replaced.join(" and ")} replaced`;
	} catch (error) {
		if (!(error instanceof CommandFailure)) throw error;
		expect(error.exitCode).toBe(2);
		const { message, hint } = error;
		return `rejected: ${message.replace(path, "FILE")}${hint === undefined ? "" : `. ${hint}`}`;
	}
}

const UNWRITABLE = "rejected: SECRET can't be written: no quotes can represent its value";

/** Values by how they are written: `…` stands for the value. */
const VALUES: Outcomes<string> = {
	"…": {
		"letters, digits and marks": "plain-Value_1.2",
		"every mark that no reader interprets": "a@b+c%d,e~f:g/h",
		"a backslash at the end, which would escape a quote": "ends with \\",
		"a backslash at the end, and a quote": "it's at the end \\",
		"all three quotes": "a'b\"c`d",
	},
	"'…'": {
		"an empty value": "",
		"a URL with a query": "http://localhost:8080/a?b=c",
		"a # in a word": "abc#def",
		"a # alone": "#",
		"an equals sign": "=",
		"spaces around": " around ",
		"a space inside": "two words",
		"double quotes": 'say "hi"',
		backquotes: "`date`",
		"variables and commands of a shell": "$HOME and $(id) $x",
		"a path of Windows": "C:\\new\\rest",
		"a backslash and an n": "\\n is no line end",
		"two lines": "two\nlines",
		"letters beyond ASCII": "Crème 🎉",
	},
	'"…"': {
		"a single quote": "it's",
		"a single quote and backquotes": "it's `both`",
		"two lines, a # and single quotes": "two\nlines # and 'quotes'",
	},
	"`…`": {
		"a single and double quotes": `it's "both"`,
		"a single quote, a backslash and an n": "it's \\n too",
		"a single quote, a backslash and an r": "it's \\r too",
	},
	[UNWRITABLE]: {
		"a carriage return, which readers drop": "a\rb",
		"all three quotes, and a newline": "'\"`\n",
		"all three quotes, and a #": "a'\"`#",
		"all three quotes, one of them first": "'\"`",
		"all three quotes, and a space at the end": "a'\"` ",
		"a # and a backslash at the end": "#\\",
	},
};

/** How a value is written; Node reads it back unchanged, among others. */
function notationOf(value: string): string {
	const notation = quoteValue(value);
	if (notation === undefined) {
		const outcome = write({ SECRET: value }, true);
		expect(readdirSync(folder)).toEqual([]);
		return outcome;
	}
	const variables = { FIRST: value, SECOND: "it's 'here'", THIRD: value };
	expect(write(variables)).toBe("written");
	expect(parseEnv(readFileSync(path, "utf8"))).toEqual(variables);
	return value === "" ? notation.replace("''", "'…'") : notation.replace(value, () => "…");
}

/** Reads the file with the dotenv of Next.js. */
async function readWithNext(): Promise<object> {
	const next = createRequire(createRequire(import.meta.url).resolve("next/package.json"));
	const script = `require(${JSON.stringify(next.resolve("@next/env"))}).loadEnvConfig(${JSON.stringify(folder)});
		console.log(JSON.stringify(process.env))`;
	const { stdout } = await run(process.execPath, ["-e", script], { env: { NODE_ENV: "production" } });
	return JSON.parse(stdout.split("\n").at(-2) ?? "");
}

describe("a value", () => {
	testOutcomes(VALUES, notationOf);

	test("is read back by the dotenv of Next.js", async () => {
		const { [UNWRITABLE]: _, ...writable } = VALUES;
		// Next.js expands variables in every value, even in single quotes.
		const plain = Object.values(writable)
			.flatMap(Object.values<string>)
			.filter((value) => !value.includes("$"));
		const values = Object.fromEntries(plain.map((value, at) => [`VALUE_${at}`, value]));
		write(values);
		expect(await readWithNext()).toMatchObject(values);
	});
});

/** What a file contains, and the value that SECRET gets there. */
type Change = readonly [before: string, secret: string, isForced?: boolean];

/** What comes of it, and what the file contains then. */
function changeOf([before, secret, isForced]: Change): string {
	writeFileSync(path, before);
	const outcome = write({ SECRET: secret, OTHER: "1" }, isForced);
	const after = readFileSync(path, "utf8");
	expect(readdirSync(folder)).toEqual([".env"]);
	return after === before ? outcome : `${outcome}: ${after}`;
}

const set = (before: string): Change => [before, "new"];
const force = (before: string): Change => [before, "new", true];

const TAKEN =
	"rejected: FILE already sets SECRET to another value. The file wasn't changed. Name another file, or give --force, which keeps the old lines as comments.";
const REPLACED = "written, with SECRET replaced:";
const UNCLOSED =
	"rejected: FILE can't be changed without affecting other lines: set SECRET, OTHER there yourself";

const CHANGES: Outcomes<Change> = {
	"written: SECRET=new\nOTHER=1\n": {
		"an empty file": set(""),
		"a variable without a value": set("SECRET=\n"),
		"an empty value in quotes": set('SECRET=""\n'),
	},
	"written: # SECRET= # fill in\nSECRET=new\nOTHER=1\n": {
		"an empty value with a note, which is kept": set("SECRET= # fill in\n"),
	},
	"written: # SECRET=first\nSECRET=new\nSECRET=new\nOTHER=1\n": {
		"an empty value that counts, after another one": set("SECRET=first\nSECRET=\n"),
	},
	"written: A=1\nSECRET=new\nOTHER=1\n": { "a last line without an end": set("A=1") },
	"written: A=1\r\nSECRET=new\r\nOTHER=1\r\n": { "lines that end with CRLF": set("A=1\r\n") },
	"written: SECRET=new\nOTHER=1\nA=1\n": { "variables in their places": set("SECRET=\nOTHER=\nA=1\n") },
	'written: export SECRET = "it\'s"   # ours\nOTHER=1\n': {
		"the same value, which stays as it is written": ['export SECRET = "it\'s"   # ours\n', "it's"],
	},
	written: { "the same values": ["SECRET=a\nOTHER=1\n", "a"] },
	[TAKEN]: {
		"another value": set("SECRET=mine\n"),
		"another value that is exported": set("export SECRET='mine'\n"),
		"another value with a note": set('SECRET="mine" # a note\n'),
		"another value that counts, after a first one": set("SECRET=first\nSECRET=mine\n"),
		"another value in backquotes, without a line end": set("SECRET=`mine`"),
	},
	"rejected: FILE already sets SECRET and OTHER to another value. The file wasn't changed. Name another file, or give --force, which keeps the old lines as comments.":
		{ "two other values": set("SECRET=mine\nOTHER=2\n") },
	"written, with SECRET and OTHER replaced: # SECRET=mine\nSECRET=new\n# OTHER=2\nOTHER=1\n": {
		"two other values, by force": force("SECRET=mine\nOTHER=2\n"),
	},
	[`${REPLACED} # SECRET=mine\nSECRET=new\nA=1\nOTHER=1\n`]: {
		"another value by force": force("SECRET=mine\nA=1\n"),
	},
	[`${REPLACED} # export SECRET = 'mine'\r\nexport SECRET=new\r\nA=1\r\nOTHER=1\r\n`]: {
		"by force, an export and CRLF, which stay": force("export SECRET = 'mine'\r\nA=1\r\n"),
	},
	[`${REPLACED} A=1\n# SECRET="mine" # a note\nSECRET=new\nOTHER=1\n`]: {
		"by force, a note on a last line without an end": force('A=1\nSECRET="mine" # a note'),
	},
	[`${REPLACED} # SECRET=mine # a note\nSECRET=new\nOTHER=1\n`]: {
		"by force, a note behind a value without quotes": force("SECRET=mine # a note\n"),
	},
	[`${REPLACED} # SECRET=abc#def\nSECRET=new\nOTHER=1\n`]: {
		"by force, abc#def, which some parsers read as abc": force("SECRET=abc#def\n"),
	},
	[`${REPLACED} # SECRET=first\nSECRET=new\n# SECRET=mine\nSECRET=new\nOTHER=1\n`]: {
		"by force, a variable that is set twice": force("SECRET=first\nSECRET=mine\n"),
	},
	[`${REPLACED} # SECRET='two\n# lines'\nSECRET=new\nA=1\nOTHER=1\n`]: {
		"by force, a value of two lines": force("SECRET='two\nlines'\nA=1\n"),
	},
	[`${REPLACED} # SECRET="a\r\n# b"\r\nSECRET=new\r\nOTHER=1\r\n`]: {
		"by force, a value of two lines with CRLF": force('SECRET="a\r\nb"\r\n'),
	},
	[`${REPLACED} # SECRET="a\r# b"\nSECRET=new\nOTHER=1\n`]: {
		"by force, a value with a carriage return": force('SECRET="a\rb"\n'),
	},
	[`${REPLACED} NOTE='\nSECRET=no\n'\n# SECRET=yes\nSECRET=new\nOTHER=1\n`]: {
		"by force, the name in another value's lines, which stay": force("NOTE='\nSECRET=no\n'\nSECRET=yes\n"),
	},
	[`${REPLACED} # SECRET=no\n# SECRET=yes\nSECRET=new\nOTHER=1\n`]: {
		"by force, the name in a comment, which stays": force("# SECRET=no\nSECRET=yes\n"),
	},
	[UNCLOSED]: {
		"an unclosed quote, which would include what comes below": ["A='open\nB=1\n", "with # in it"],
	},
};

describe("a variable in the file", () => {
	testOutcomes(CHANGES, changeOf);

	test("is a comment to dotenv, too, after it was replaced", async () => {
		writeFileSync(path, "SECRET='it`s \"two\nlines\"' # a note\nA=1\n");
		write({ SECRET: "other", OTHER: "1" }, true);
		expect(await readWithNext()).toMatchObject({ SECRET: "other", OTHER: "1", A: "1" });
	});
});

const writeSecret = () => write({ SECRET: "s3cret" });

const MODES: Outcomes<number> = {
	"600": { "an owner's file": 0o600, "a file that others read": 0o644, "a file that others write": 0o666 },
	"400": { "a file that its owner only reads": 0o400 },
	"700": { "a file that its owner runs": 0o700, "a file that others run": 0o755 },
};

describe("the file's mode leaves the owner's access, and others none", () =>
	testOutcomes(MODES, (before) => {
		writeFileSync(path, "A=1\n");
		chmodSync(path, before);
		writeSecret();
		return (statSync(path).mode & 0o777).toString(8);
	}));

const NO_FILES: Outcomes<() => unknown> = {
	"rejected: FILE isn't a regular file": {
		"a folder": () => mkdirSync(path, { mode: 0o755 }),
		"a pipe": () => execFileSync("mkfifo", ["-m", "666", path]),
	},
	"rejected: FILE can't be written: another process created it meanwhile, or it is a broken link": {
		"a broken link": () => symlinkSync("nowhere", path),
	},
	"rejected: FILE can't be written: no such file or directory": {
		"a file in no folder": () => {
			path = join(folder, "none", ".env");
		},
	},
	"rejected: FILE can't be written: not a directory": {
		"a file in a file": () => {
			writeFileSync(path, "");
			path = join(path, ".env");
		},
	},
};

/** What exists in the folder, with its kind and mode. */
const entries = () =>
	readdirSync(folder, { recursive: true }).map((name) => [name, lstatSync(join(folder, String(name))).mode]);

describe("what cannot be written stays as it is:", () =>
	testOutcomes(NO_FILES, (make) => {
		make();
		const before = entries();
		const outcome = writeSecret();
		expect(entries()).toEqual(before);
		return outcome;
	}));

describe("the file", () => {
	test("that is new is readable by its owner only", () => {
		expect(writeSecret()).toBe("written");
		expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(readFileSync(path, "utf8")).toBe("SECRET=s3cret\n");
	});

	test("is replaced atomically: readers of the old file aren't disturbed", () => {
		writeFileSync(path, "A=1\n");
		const before = statSync(path).ino;
		writeSecret();
		expect(statSync(path).ino).not.toBe(before);
	});

	test("is the target of a link, which stays", () => {
		const target = join(folder, "shared.env");
		writeFileSync(target, "A=1\n");
		symlinkSync("shared.env", path);
		writeSecret();
		expect(lstatSync(path).isSymbolicLink()).toBe(true);
		expect(readFileSync(target, "utf8")).toBe("A=1\nSECRET=s3cret\n");
	});

	test("isn't changed in another encoding than UTF-8", () => {
		const content = Buffer.from("NAME=M\u00fcller\n", "latin1");
		writeFileSync(path, content);
		expect(writeSecret()).toBe(
			"rejected: FILE can't be read: The encoded data was not valid for encoding utf-8",
		);
		expect(readFileSync(path).equals(content)).toBe(true);
	});

	test("keeps its byte order mark", () => {
		writeFileSync(path, "\ufeff# ours\nA=1\n");
		writeSecret();
		expect(readFileSync(path, "utf8")).toBe("\ufeff# ours\nA=1\nSECRET=s3cret\n");
	});
});
