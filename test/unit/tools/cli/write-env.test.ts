import { execFile } from "node:child_process";
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
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const run = promisify(execFile);

let folder: string;
let path: string;

beforeEach(() => {
	folder = temporaryFolder();
	path = join(folder, ".env");
});

const VALUES = [
	"plain-Value_1.2",
	"http://localhost:8080/a?b=c",
	"abc#def",
	" around ",
	"two words",
	"it's",
	'say "hi"',
	"`date`",
	`it's "both"`,
	"it's `both`",
	"$HOME and $(id) $x",
	"C:\\new\\rest",
	"ends with \\",
	"\\n is no line end",
	"it's \\n too",
	"two\nlines",
	"two\nlines # and 'quotes'",
	"#",
	"=",
	"Crème 🎉",
	"a'b\"c`d",
];

/** Reads the file with the dotenv of Next.js. */
async function readWithNext(): Promise<object> {
	const next = createRequire(createRequire(import.meta.url).resolve("next/package.json"));
	const script = `require(${JSON.stringify(next.resolve("@next/env"))}).loadEnvConfig(${JSON.stringify(folder)});
		console.log(JSON.stringify(process.env))`;
	const { stdout } = await run(process.execPath, ["-e", script], { env: { NODE_ENV: "production" } });
	return JSON.parse(stdout.split("\n").at(-2) ?? "");
}

describe("a value", () => {
	test.each(VALUES)("%j is read back by Node unchanged", (value) => {
		writeEnvironmentFile(path, { FIRST: value, SECOND: "it's 'here'", THIRD: value }, { isForced: false });
		const read = { FIRST: value, SECOND: "it's 'here'", THIRD: value };
		expect(parseEnv(readFileSync(path, "utf8"))).toEqual(read);
	});

	test("is read back by the dotenv of Next.js", async () => {
		// Next.js expands variables in every value, even in single quotes.
		const plain = VALUES.filter((value) => !value.includes("$"));
		const values = Object.fromEntries(plain.map((value, at) => [`VALUE_${at}`, value]));
		writeEnvironmentFile(path, values, { isForced: false });
		expect(await readWithNext()).toMatchObject(values);
	});

	test.each(["a\rb", "'\"`\n", "'\"`#", "#\\"])("%j, which no quotes can represent, is an error", (value) => {
		expect(quoteValue(value)).toBeUndefined();
		const write = () => writeEnvironmentFile(path, { SECRET: value }, { isForced: true });
		expect(write).toThrow("SECRET can't be written");
		expect(readdirSync(folder)).toEqual([]);
	});
});

describe("a variable in the file", () => {
	const write = (value: string, isForced = false) =>
		writeEnvironmentFile(path, { SECRET: value, OTHER: "1" }, { isForced });

	test.each([
		"SECRET=mine\n",
		"export SECRET='mine'\n",
		'SECRET="mine" # a note\n',
		"SECRET=first\nSECRET=mine\n",
		"SECRET=`mine`",
	])("with another value isn't changed, and the error names it: %j", (content) => {
		writeFileSync(path, content);
		expect(() => write("s3cret")).toThrow(/\.env already sets SECRET to another value$/);
		expect(readFileSync(path, "utf8")).toBe(content);
		expect(readdirSync(folder)).toEqual([".env"]);
	});

	test.each([
		["SECRET=mine\nA=1\n", "# SECRET=mine\nSECRET=other\nA=1\nOTHER=1\n"],
		[
			"export SECRET = 'mine'\r\nA=1\r\n",
			"# export SECRET = 'mine'\r\nexport SECRET=other\r\nA=1\r\nOTHER=1\r\n",
		],
		['A=1\nSECRET="mine" # a note', 'A=1\n# SECRET="mine" # a note\nSECRET=other\nOTHER=1\n'],
		["SECRET=mine # a note\n", "# SECRET=mine # a note\nSECRET=other\nOTHER=1\n"],
		// Some parsers read it as `abc`, others as `abc#def`.
		["SECRET=abc#def\n", "# SECRET=abc#def\nSECRET=other\nOTHER=1\n"],
		["SECRET=first\nSECRET=mine\n", "# SECRET=first\nSECRET=other\n# SECRET=mine\nSECRET=other\nOTHER=1\n"],
		["SECRET='two\nlines'\nA=1\n", "# SECRET='two\n# lines'\nSECRET=other\nA=1\nOTHER=1\n"],
		['SECRET="a\r\nb"\r\n', '# SECRET="a\r\n# b"\r\nSECRET=other\r\nOTHER=1\r\n'],
		['SECRET="a\rb"\n', '# SECRET="a\r# b"\nSECRET=other\nOTHER=1\n'],
		["NOTE='\nSECRET=no\n'\nSECRET=yes\n", "NOTE='\nSECRET=no\n'\n# SECRET=yes\nSECRET=other\nOTHER=1\n"],
		["# SECRET=no\nSECRET=yes\n", "# SECRET=no\n# SECRET=yes\nSECRET=other\nOTHER=1\n"],
	])("is replaced with isForced, reported, and kept as a comment: %j", (content, expected) => {
		writeFileSync(path, content);
		expect(write("other", true)).toEqual(["SECRET"]);
		expect(readFileSync(path, "utf8")).toBe(expected);
	});

	test("with the same value stays as written", () => {
		const content = 'export SECRET = "it\'s"   # ours\n';
		writeFileSync(path, content);
		expect(write("it's")).toEqual([]);
		expect(readFileSync(path, "utf8")).toBe(`${content}OTHER=1\n`);
	});

	test("is a comment to dotenv, too, after it was replaced", async () => {
		const content = "SECRET='it`s \"two\nlines\"' # a note\nA=1\n";
		writeFileSync(path, content);
		write("other", true);
		expect(await readWithNext()).toMatchObject({ SECRET: "other", OTHER: "1", A: "1" });
	});

	test.each([
		["SECRET=\n", "SECRET=new\n"],
		['SECRET=""\n', "SECRET=new\n"],
		["SECRET= # fill in\n", "# SECRET= # fill in\nSECRET=new\n"],
		["SECRET=first\nSECRET=\n", "# SECRET=first\nSECRET=new\nSECRET=new\n"],
	])("with an empty value is filled in, and comments are kept: %j", (content, expected) => {
		writeFileSync(path, content);
		expect(write("new")).toEqual([]);
		expect(readFileSync(path, "utf8")).toBe(`${expected}OTHER=1\n`);
	});

	test("isn't written after an unclosed quote, which would include it", () => {
		const content = "A='open\nB=1\n";
		writeFileSync(path, content);
		expect(() => write("with # in it")).toThrow("set SECRET, OTHER there yourself");
		expect(readFileSync(path, "utf8")).toBe(content);
	});
});

describe("the file", () => {
	const write = () => writeEnvironmentFile(path, { SECRET: "s3cret" }, { isForced: false });

	test.each([
		[0o600, 0o600],
		[0o400, 0o400],
		[0o700, 0o700],
		[0o644, 0o600],
		[0o666, 0o600],
	])("of mode %o gets mode %o: the owner keeps access, others get none", (before, after) => {
		writeFileSync(path, "A=1\n");
		chmodSync(path, before);
		write();
		expect(statSync(path).mode & 0o777).toBe(after);
	});

	test("is replaced atomically: readers of the old file aren't disturbed", () => {
		writeFileSync(path, "A=1\n");
		const before = statSync(path).ino;
		write();
		expect(statSync(path).ino).not.toBe(before);
	});

	test("is the target of a link, which stays", () => {
		const target = join(folder, "shared.env");
		writeFileSync(target, "A=1\n");
		symlinkSync("shared.env", path);
		write();
		expect(lstatSync(path).isSymbolicLink()).toBe(true);
		expect(readFileSync(target, "utf8")).toBe("A=1\nSECRET=s3cret\n");
	});

	test.each<[what: string, make: () => unknown, message: string]>([
		["a folder", () => mkdirSync(path, { mode: 0o755 }), "isn't a regular file"],
		["a pipe", () => run("mkfifo", ["-m", "666", path]), "isn't a regular file"],
		["a broken link", () => symlinkSync("nowhere", path), "a broken link"],
	])("can't be %s, which stays as it is", async (_what, make, message) => {
		await make();
		const { mode } = lstatSync(path);
		expect(write).toThrow(message);
		expect(lstatSync(path).mode).toBe(mode);
		expect(readdirSync(folder, { recursive: true })).toEqual([".env"]);
	});

	test("isn't changed in another encoding than UTF-8", () => {
		const content = Buffer.from("NAME=M\u00fcller\n", "latin1");
		writeFileSync(path, content);
		expect(write).toThrow(/can't be read: .*utf-8/);
		expect(readFileSync(path).equals(content)).toBe(true);
	});

	test("keeps its byte order mark", () => {
		writeFileSync(path, "\ufeff# ours\nA=1\n");
		write();
		expect(readFileSync(path, "utf8")).toBe("\ufeff# ours\nA=1\nSECRET=s3cret\n");
	});
});
