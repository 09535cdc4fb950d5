import { ConfigurationError } from "./errors.ts";

/**
 * Rejects unknown keys: a misspelt option would otherwise be ignored silently.
 * @param replaced - what to write in place of a key that people expect here: the end of a sentence, after a colon.
 */
export function assertKnownKeys(
	name: string,
	value: unknown,
	known: readonly string[],
	replaced: Readonly<Record<string, string>> = {},
): asserts value is object {
	assertObject(name, value);
	const unknown = Object.keys(value).find((key) => !known.includes(key));
	if (unknown === undefined) return;
	const what = isWord(unknown) ? `${name}.${unknown}` : `a key of ${name}`;
	const instead = Object.hasOwn(replaced, unknown) ? replaced[unknown] : `use ${known.join(", ")}`;
	throw new ConfigurationError(`${what} is not known: ${instead}`);
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
