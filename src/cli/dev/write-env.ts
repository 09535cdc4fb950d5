import { readFileSync, realpathSync, statSync } from "node:fs";
import { isDeepStrictEqual, parseEnv } from "node:util";
import { misused } from "../failure.ts";
import { createWholeFile, replaceWholeFile } from "../whole-file.ts";

type Variables = Readonly<Record<string, string>>;

/**
 * Sets variables in a file of variables and leaves every other line of it as it is. A value that is there already
 * stays, unless the user asks for it to be replaced; it is then kept as a comment.
 *
 * @returns the variables whose values were replaced.
 */
export function writeEnvironmentFile(
	path: string,
	variables: Variables,
	{ isForced }: { readonly isForced: boolean },
): string[] {
	const file = openFile(path);
	const before = parseEnv(file.content);
	const replaced = Object.entries(variables)
		.filter(([name, value]) => (before[name] ?? "") !== "" && before[name] !== value)
		.map(([name]) => name);
	if (replaced.length > 0 && !isForced) {
		throw misused(
			`${path} sets ${replaced.join(" and ")} to another value`,
			"It stays as it is: name another file, or give --force, which keeps what is there as a comment.",
		);
	}
	const missing = Object.entries(variables).filter(([name, value]) => before[name] !== value);
	const content = setVariables(file.content, Object.fromEntries(missing));
	if (!isDeepStrictEqual({ ...parseEnv(content) }, { ...before, ...variables })) {
		const names = Object.keys(variables).join(", ");
		throw misused(`${path} cannot be changed without touching other lines: set ${names} there yourself`);
	}
	save(path, file, content);
	return replaced;
}

const PLAIN = /^[\w./:@%+,~-]+$/;
const UNQUOTED = /^[^\s#'"`](?:[^\n#]*[^\s#])?$/;

/**
 * Writes a value as Node and dotenv read it back: neither knows an escape for quotes.
 * @returns `undefined` where there is no way.
 */
export function quoteValue(value: string): string | undefined {
	// Both drop carriage returns.
	if (value.includes("\r")) return undefined;
	if (PLAIN.test(value)) return value;
	const quote = ["'", '"', "`"].find((candidate) => canStandIn(candidate, value));
	if (quote !== undefined) return quote + value + quote;
	return UNQUOTED.test(value) ? value : undefined;
}

function canStandIn(quote: string, value: string): boolean {
	// dotenv takes a backslash before a quote to be part of the value's text, which then goes on.
	if (value.includes(quote) || value.endsWith("\\")) return false;
	return quote !== '"' || !/\\[nr]/.test(value);
}

/** An assignment as dotenv reads it, to the end of its line: a value in quotes may have several lines. */
const ASSIGNMENT =
	/^[ \t]*(export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*((?:'(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`)?[^\r\n]*)/gm;

/** The content with these variables set: below comments of what they were, or else at the end. */
function setVariables(content: string, variables: Variables): string {
	const assignments = new Map(
		Object.entries(variables).map(([name, value]) => [name, `${name}=${quote(name, value)}`]),
	);
	const left = new Set(assignments.keys());
	const lineEnd = content.includes("\r\n") ? "\r\n" : "\n";
	const changed = content.replace(ASSIGNMENT, (line, exported = "", name: string, written: string) => {
		const assignment = assignments.get(name);
		left.delete(name);
		if (assignment === undefined) return line;
		const comment = isBlank(written) ? "" : toComment(line) + lineEnd;
		return comment + exported + assignment;
	});
	const gap = changed === "" || changed.endsWith("\n") ? "" : lineEnd;
	return `${changed}${gap}${Array.from(left, (name) => `${assignments.get(name)}${lineEnd}`).join("")}`;
}

function isBlank(written: string): boolean {
	return /^(['"`]?)\1\s*$/.test(written);
}

/** Lines as comments: without the marks they are what they were. */
function toComment(lines: string): string {
	return `# ${lines.replace(/\r\n?|\n/g, "$&# ")}`;
}

function quote(name: string, value: string): string {
	const quoted = quoteValue(value);
	if (quoted !== undefined) return quoted;
	throw misused(`${name} cannot be written: its value has characters that no quotes hold`);
}

interface OpenFile {
	/** `undefined` where there is none yet. */
	readonly target: string | undefined;
	readonly content: string;
}

function openFile(path: string): OpenFile {
	const isThere = statSync(path, { throwIfNoEntry: false });
	if (isThere === undefined) return { target: undefined, content: "" };
	if (!isThere.isFile()) throw misused(`${path} is no file`);
	return explained(path, "read", () => ({
		target: realpathSync(path),
		content: decode(readFileSync(path)),
	}));
}

/** In another encoding other lines would be damaged: they could not be written back as they are. */
function decode(bytes: Uint8Array): string {
	return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function save(path: string, { target }: OpenFile, content: string): void {
	explained(path, "written", () => {
		if (target !== undefined) replaceWholeFile(target, content, statSync(target));
		else if (!createWholeFile(path, content))
			throw new Error("there is another file by now, or a link that leads nowhere");
	});
}

function explained<Result>(path: string, what: "read" | "written", work: () => Result): Result {
	try {
		return work();
	} catch (error) {
		throw misused(`${path} cannot be ${what}: ${error instanceof Error ? error.message : String(error)}`);
	}
}
