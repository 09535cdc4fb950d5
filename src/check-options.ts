import { ConfigurationError } from "./errors.ts";

/** Refuses a key that is not known: a misspelt option would otherwise be off without a word. */
export function assertKnownKeys(
	name: string,
	value: unknown,
	known: readonly string[],
): asserts value is object {
	assertObject(name, value);
	const unknown = Object.keys(value).find((key) => !known.includes(key));
	if (unknown === undefined) return;
	const what = isWord(unknown) ? `${name}.${unknown}` : `a key of ${name}`;
	throw new ConfigurationError(`${what} is not known: use ${known.join(", ")}`);
}

/** Whether a key is a word of a program, which a message may show; any other could be a number or a secret. */
export function isWord(key: string): boolean {
	return /^[a-z_]{1,40}$/i.test(key);
}

/** Rejects what is no object, a function included. */
export function assertObject(name: string, value: unknown): asserts value is object {
	if (typeof value !== "object" || value === null) throw new ConfigurationError(`${name} must be an object`);
}

/** Rejects what is no function; nothing given is fine. */
export function assertFunction(name: string, value: unknown): void {
	if (value === undefined || typeof value === "function") return;
	throw new ConfigurationError(`${name} must be a function`);
}

/** Rejects what is neither true nor false; nothing given is fine. */
export function assertBoolean(name: string, value: unknown): void {
	if (value === undefined || typeof value === "boolean") return;
	throw new ConfigurationError(`${name} must be true or false`);
}

/** Rejects what lacks one of the methods; nothing given is fine. */
export function assertMethods(name: string, value: unknown, methods: readonly string[]): void {
	if (value === undefined) return;
	const has = (method: string): boolean =>
		typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function";
	if (!methods.every(has)) {
		throw new ConfigurationError(`${name} must be an object with the functions ${methods.join(", ")}`);
	}
}

/** Refuses a choice that there is not; nothing given is fine. */
export function assertOneOf(name: string, value: unknown, choices: readonly string[]): void {
	if (value === undefined || (typeof value === "string" && choices.includes(value))) return;
	throw new ConfigurationError(`${name} must be one of ${choices.join(", ")}`);
}
