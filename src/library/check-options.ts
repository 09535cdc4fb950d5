import { ConfigurationError } from "./errors.ts";
import { didYouMean } from "./nearest-name.ts";

/** A list of more names is in a type. */
const MAX_LISTED = 20;
/** The most mistakes that a message names. */
const MAX_NAMED = 5;

/**
 * Rejects unknown keys: a misspelt option would otherwise be ignored silently.
 * @param name - whose keys they are, such as `"createSender options"`; `"options"` of the one thing that has any.
 * @param replaced - what to write in place of a key that people expect here: the end of a sentence, after a colon.
 */
export function assertKnownKeys(
	name: string,
	value: unknown,
	known: readonly string[],
	replaced: Readonly<Record<string, string>> = {},
): asserts value is object {
	assertObject(name, value, `, such as { ${known[0]}: … }`);
	const unknown = Object.keys(value).filter((key) => !known.includes(key));
	if (unknown.length === 0) return;
	const owner = name.replace(/('s)? ?options$/, "").replace(/^The /, "the ");
	const sentences = unknown.slice(0, MAX_NAMED).map((key) => {
		const shown = isWord(key) ? ` "${key}"` : " (hidden, since a name may be a secret)";
		const what = `Unknown option${shown}${owner && ` of ${owner}`}`;
		if (Object.hasOwn(replaced, key)) return `${what}: ${replaced[key]}`;
		const suggestion = didYouMean(key, known);
		return suggestion ? `${what}.${suggestion}` : `${what}: remove it, or use ${listNames(known)}`;
	});
	throw new ConfigurationError(sentences.join("\n"));
}

/** Names for a message: the first of them, if they are many. */
export function listNames(names: readonly string[]): string {
	return names.slice(0, MAX_LISTED).join(", ") + (names.length > MAX_LISTED ? ", …" : "");
}

/**
 * Whether a key may be shown in a message: one to five words of at most 14 letters, written as in camelCase or snake_case,
 * together 32 letters at most. Any other key could be a number or a secret: letters at random are a longer word, or more.
 */
export function isWord(key: string): boolean {
	return /^(?=.{1,32}$)_?[A-Za-z][a-z]{0,13}((_[A-Za-z]|[A-Z])[a-z]{0,13}){0,4}$/.test(key);
}

/** A key of a user's object for a message, whose parts may be put together with dots or hyphens; `…` if it could be a secret. */
export function shownKey(key: string): string {
	return key.split(/[.-]/).every(isWord) ? key : "…";
}

/** Rejects a value that is not an object; functions are rejected too. */
export function assertObject(name: string, value: unknown, example = ""): asserts value is object {
	if (typeof value !== "object" || value === null)
		throw new ConfigurationError(`${name} must be an object${example}`);
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
