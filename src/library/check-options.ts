import { ConfigurationError } from "./errors.ts";
import { didYouMean } from "./nearest-name.ts";

/** A list of more names is in the option's type, and in no message. */
const MAX_LISTED = 8;
/** The most mistakes that a message names. */
const MAX_NAMED = 5;

/**
 * Rejects unknown keys: a misspelt option would otherwise be ignored silently.
 * @param name - whose keys they are, such as `"createSender options"`; `"options"` of the one thing that has any.
 * @param replaced - what to write in place of a key that people expect here: the end of a sentence, after a colon.
 * @param type - the type that lists the keys, if they are many.
 */
export function assertKnownKeys(
	name: string,
	value: unknown,
	known: readonly string[],
	replaced: Readonly<Record<string, string>> = {},
	type?: string,
): asserts value is object {
	assertObject(name, value);
	const unknown = Object.keys(value).filter((key) => !known.includes(key));
	if (unknown.length === 0) return;
	const owner = name.replace(/('s)? ?options$/, "");
	const sentences = unknown.slice(0, MAX_NAMED).map((key) => {
		const what = `Unknown option${isWord(key) ? ` "${key}"` : ""}${owner && ` of ${owner}`}`;
		if (Object.hasOwn(replaced, key)) return `${what}: ${replaced[key]}`;
		return `${what}.${didYouMean(key, known) || whereToFind(known, type)}`;
	});
	throw new ConfigurationError(joinSentences(sentences));
}

function whereToFind(known: readonly string[], type: string | undefined): string {
	return type === undefined || known.length <= MAX_LISTED
		? ` Use ${known.join(", ")}`
		: ` The type ${type} lists all of them`;
}

/**
 * Runs every check of some options, so that one error has all that is wrong.
 * @throws ConfigurationError with each check's sentence.
 */
export function assertAll(checks: readonly (() => void)[]): void {
	const problems: string[] = [];
	for (const check of checks) {
		try {
			check();
		} catch (error) {
			if (!(error instanceof ConfigurationError)) throw error;
			problems.push(error.message);
		}
	}
	if (problems.length > 0) throw new ConfigurationError(joinSentences(problems));
}

/** Sentences in a row. A message has no full stop at its end. */
export function joinSentences(sentences: readonly string[]): string {
	return sentences.filter(Boolean).join(". ").replace(/\?\. /g, "? ");
}

/** Whether a key looks like an identifier and may be shown in a message; any other key could be a number or a secret. */
export function isWord(key: string): boolean {
	return /^[a-z_]{1,40}$/i.test(key);
}

/** Rejects a value that is not an object; functions are rejected too. */
export function assertObject(name: string, value: unknown): asserts value is object {
	if (typeof value !== "object" || value === null) throw new ConfigurationError(`${name} must be an object`);
}

/** Rejects a value that is not a function; `undefined` passes. */
export function assertFunction(name: string, value: unknown): void {
	if (value === undefined || typeof value === "function") return;
	throw new ConfigurationError(`${name} must be a function`);
}

/** Rejects a value that is not a boolean; `undefined` passes. */
export function assertBoolean(name: string, value: unknown): void {
	if (value === undefined || typeof value === "boolean") return;
	throw new ConfigurationError(`${name} must be true or false`);
}

/** Rejects anything but an object with these methods; `undefined` passes. */
export function assertMethods(name: string, value: unknown, methods: readonly string[]): void {
	if (value === undefined) return;
	const has = (method: string): boolean =>
		typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function";
	if (methods.every(has)) return;
	throw new ConfigurationError(`${name} must be an object with the functions ${methods.join(", ")}`);
}

/** Rejects anything but a finite number above 0. */
export function assertPositive(name: string, value: unknown): void {
	if (typeof value === "number" && value > 0 && Number.isFinite(value)) return;
	throw new ConfigurationError(`${name} must be a number above 0`);
}

/** Rejects anything but an integer of at least 1. */
export function assertPositiveInteger(name: string, value: unknown): void {
	if (Number.isSafeInteger(value) && Number(value) >= 1) return;
	throw new ConfigurationError(`${name} must be an integer of at least 1`);
}

/** Rejects a value that is not one of the choices; `undefined` passes. */
export function assertOneOf(name: string, value: unknown, choices: readonly string[]): void {
	if (value === undefined || (typeof value === "string" && choices.includes(value))) return;
	throw new ConfigurationError(`${name} must be one of ${choices.join(", ")}`);
}
