import { readFileSync, realpathSync, statSync } from "node:fs";
import { getSystemErrorMessage, isDeepStrictEqual, parseEnv } from "node:util";
import type { SharedSecrets } from "../../control/contract.ts";
import { messageOf, usageError } from "../failure.ts";
import { createWholeFile, replaceWholeFile } from "../whole-file.ts";

type Variables = Readonly<Record<string, string>>;

/** What a client of a gateway reads from its environment. */
export function clientVariables({
	baseUrl,
	appId,
	appSecret,
	webhookSecret,
}: SharedSecrets & { readonly baseUrl: string }): Variables {
	return {
		MESSAGING_GATEWAY_BASE_URL: baseUrl,
		MESSAGING_GATEWAY_APP_ID: appId,
		MESSAGING_GATEWAY_APP_SECRET: appSecret,
		MESSAGING_GATEWAY_WEBHOOK_SECRET: webhookSecret,
	};
}

/** A sentence about the variables that were replaced, if there are any. */
export function describeReplaced(names: readonly string[]): string[] {
	return names.length === 0 ? [] : [`Replaced values, kept there as comments: ${names.join(", ")}.`];
}

/**
 * Sets variables in an environment file and keeps its other lines unchanged. `isForced` replaces existing values
 * and keeps them as comments.
 *
 * @returns the names of the replaced variables.
 * @throws CommandFailure if a variable has another value and `isForced` is false.
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
		throw usageError(
			`${path} already sets ${replaced.join(" and ")} to another value`,
			"The file wasn't changed. Name another file, or give --force, which keeps the old lines as comments.",
		);
	}
	const missing = Object.entries(variables).filter(([name, value]) => before[name] !== value);
	const content = setVariables(file.content, Object.fromEntries(missing));
	if (!isDeepStrictEqual({ ...parseEnv(content) }, { ...before, ...variables })) {
		const names = Object.keys(variables).join(", ");
		throw usageError(`${path} can't be changed without affecting other lines: set ${names} there yourself`);
	}
	save(path, file, content);
	return replaced;
}

const PLAIN = /^[\w./:@%+,~-]+$/;
const UNQUOTED = /^[^\s#'"`](?:[^\n#]*[^\s#])?$/;

/**
 * Quotes a value so that Node and dotenv read it back unchanged. Neither can escape quotes.
 * @returns `undefined` if no notation works.
 */
export function quoteValue(value: string): string | undefined {
	// Both drop carriage returns.
	if (value.includes("\r")) return undefined;
	if (PLAIN.test(value)) return value;
	const quote = ["'", '"', "`"].find((candidate) => canQuote(candidate, value));
	if (quote !== undefined) return quote + value + quote;
	return UNQUOTED.test(value) ? value : undefined;
}

function canQuote(quote: string, value: string): boolean {
	// For dotenv, a quote after a backslash does not end the value.
	if (value.includes(quote) || value.endsWith("\\")) return false;
	return quote !== '"' || !/\\[nr]/.test(value);
}

/** An assignment as dotenv reads it, to the end of its line. A quoted value may span several lines. */
const ASSIGNMENT =
	/^[ \t]*(export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*((?:'(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`)?[^\r\n]*)/gm;

/** Returns the content with the variables set in place, below their old lines as comments; new ones at the end. */
function setVariables(content: string, variables: Variables): string {
	const assignments = new Map(
		Object.entries(variables).map(([name, value]) => [name, `${name}=${quote(name, value)}`]),
	);
	const missing = new Set(assignments.keys());
	const lineEnd = content.includes("\r\n") ? "\r\n" : "\n";
	const changed = content.replace(ASSIGNMENT, (line, exported = "", name: string, written: string) => {
		const assignment = assignments.get(name);
		missing.delete(name);
		if (assignment === undefined) return line;
		const isEmpty = /^(['"`]?)\1\s*$/.test(written);
		const comment = isEmpty ? "" : `# ${line.replace(/\r\n?|\n/g, "$&# ")}${lineEnd}`;
		return comment + exported + assignment;
	});
	const gap = changed === "" || changed.endsWith("\n") ? "" : lineEnd;
	return `${changed}${gap}${Array.from(missing, (name) => `${assignments.get(name)}${lineEnd}`).join("")}`;
}

function quote(name: string, value: string): string {
	const quoted = quoteValue(value);
	if (quoted !== undefined) return quoted;
	throw usageError(`${name} can't be written: no quotes can represent its value`);
}

interface OpenFile {
	/** The path with links resolved; `undefined` if the file does not exist. */
	readonly target: string | undefined;
	readonly content: string;
}

function openFile(path: string): OpenFile {
	const stats = withUsageErrors(path, "read", () => statSync(path, { throwIfNoEntry: false }));
	if (stats === undefined) return { target: undefined, content: "" };
	if (!stats.isFile()) throw usageError(`${path} isn't a regular file`);
	return withUsageErrors(path, "read", () => ({
		target: realpathSync(path),
		// Throws for another encoding than UTF-8: decoding it would damage the other lines.
		content: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path)),
	}));
}

function save(path: string, { target }: OpenFile, content: string): void {
	withUsageErrors(path, "written", () => {
		if (target !== undefined) replaceWholeFile(target, content, statSync(target));
		else if (!createWholeFile(path, content))
			throw new Error("another process created it meanwhile, or it is a broken link");
	});
}

function withUsageErrors<Result>(path: string, access: "read" | "written", work: () => Result): Result {
	try {
		return work();
	} catch (error) {
		throw usageError(`${path} can't be ${access}: ${reasonOf(error)}`);
	}
}

/** Without the path of the system's error, which may be that of the temporary file. */
function reasonOf(error: unknown): string {
	const hasNumber = error instanceof Error && "errno" in error && typeof error.errno === "number";
	return hasNumber ? getSystemErrorMessage(Number(error.errno)) : messageOf(error);
}
