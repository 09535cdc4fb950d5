import type { Operation } from "../catalogue/operation.ts";
import type { ShapeIssue } from "../errors.ts";

/**
 * A stand-in for a foreign error as a `cause`: name, code and a masked message. The original may hold the
 * URL, the headers or the body, and printing an error prints its causes.
 * @param sent - everything of the request that could be repeated.
 */
export function toSafeCause(error: unknown, sent?: unknown): Error {
	const root = findRoot(error);
	return createCause(root, describeForeignMessage(root.message, sent));
}

/** A stand-in for an error whose message could hold a secret: its name and code alone. */
export function toNamedCause(error: unknown): Error {
	return createCause(findRoot(error), "(its message could hold a secret and is left out)");
}

function createCause({ name, code }: { name: string; code: string | undefined }, message: string): Error {
	const cause = new Error(message);
	// The stack would point here, not at what failed.
	cause.stack = `${name}: ${message}`;
	return Object.assign(cause, { name }, code === undefined ? {} : { code });
}

/** The first error of the chain that has a code, which is what the network stack said; else the deepest one. */
export function findRoot(error: unknown): { name: string; message: string; code: string | undefined } {
	let found = describe(error);
	let current: unknown = error;
	for (let depth = 0; depth < 5 && isError(current) && found.code === undefined; depth++) {
		found = describe(current);
		current = current.cause;
	}
	return found;
}

/** By its shape: under test runners with a context of their own, the platform's errors are no instances of ours. */
function isError(value: unknown): value is Error {
	const { name, message } = (value ?? {}) as Partial<Error>;
	return typeof name === "string" && typeof message === "string";
}

function describe(error: unknown): { name: string; message: string; code: string | undefined } {
	if (!isError(error)) return { name: "Error", message: "", code: undefined };
	const code: unknown = "code" in error ? error.code : undefined;
	return {
		name: /^\w{1,64}$/.test(error.name) ? error.name : "Error",
		message: error.message,
		code: typeof code === "string" && /^\w{1,64}$/.test(code) ? code : undefined,
	};
}

const MAX_LENGTH = 300;

/** Hides what may identify a person or reveal a secret: phone numbers, long tokens, and URLs past their origin. */
export function maskText(text: string): string {
	return text
		.slice(0, MAX_LENGTH)
		.replace(/(\bhttps?:\/\/[^/\s"'<>?#@]+)[^\s"'<>]*/gi, "$1/…")
		.replace(/[^\s/]*%[0-9a-f]{2}\S*/gi, "…")
		.replace(/\b(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])[\w+/=-]{20,}/gi, "…")
		.replace(/\+?\d[\d\s().-]{5,}\d/g, (digits) => (/^\d{1,3}(\.\d{1,3}){3}$/.test(digits) ? digits : "…"));
}

/** As many letters of a longer text in a row are no coincidence: it is quoted, cut short. */
const QUOTE_LENGTH = 16;
/** No message text is longer; further than this only attachments are quoted. */
const MAX_SEARCHED_LENGTH = 20_000;

/**
 * What somebody else said, fit for an error's message: masked, and left out where it repeats what was sent.
 * @param sent - everything of the request that could be repeated; its texts are looked for.
 */
export function describeForeignMessage(message: string, sent: unknown): string {
	const said = wordsOf(message.slice(0, MAX_LENGTH));
	for (const text of textsOf(sent)) {
		if (isQuoted(wordsOf(text.slice(0, MAX_SEARCHED_LENGTH)), said)) {
			return "(its message repeats a value and is left out)";
		}
	}
	return maskText(message);
}

/** Whether a text stands in what was said: all of it as words of its own ("ok" is not in "token"), or a long part. */
function isQuoted(text: string, said: string): boolean {
	if (text.trim() === "") return false;
	if (said.includes(text)) return true;
	for (let at = 0; at + QUOTE_LENGTH <= said.length; at++) {
		if (text.includes(said.slice(at, at + QUOTE_LENGTH))) return true;
	}
	return false;
}

/** The words of a text between single spaces, however it was escaped, broken into lines or capitalised. */
function wordsOf(text: string): string {
	const plain = text
		.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
		.replace(/\\[nrtbf]/g, " ")
		.normalize("NFKC")
		.toLowerCase();
	return ` ${(plain.match(/[\p{L}\p{M}\p{N}\p{Extended_Pictographic}]+/gu) ?? []).join(" ")} `;
}

/** Every text in a value, at any depth that a request can have. */
function* textsOf(value: unknown, seen = new Set<object>()): Generator<string> {
	if (typeof value === "string") {
		yield value;
	} else if (typeof value === "object" && value !== null && !seen.has(value)) {
		seen.add(value);
		for (const member of Object.values(value)) yield* textsOf(member, seen);
	}
}

/** Issues fit for an error's message: the words of a schema that is not ours may repeat the value. */
export function toSafeIssues(
	operation: Operation<unknown, unknown>,
	issues: readonly ShapeIssue[],
	value: unknown,
): readonly ShapeIssue[] {
	if (operation.provenance.kind !== "custom") return issues;
	return issues.map(({ path, message }) => ({ path, message: describeForeignMessage(message, value) }));
}
