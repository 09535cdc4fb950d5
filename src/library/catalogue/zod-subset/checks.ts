import type { Check } from "./type.ts";

/** Checks anything. */
export function refine<Value>(
	fits: (value: Value) => boolean,
	params: string | { error: string; abort?: boolean; path?: PropertyKey[] },
): Check<Value> {
	const { error, abort, path = [] } = typeof params === "string" ? { error: params } : params;
	// The path is copied, since the keys before it are added to it later.
	const describe = () => ({ code: "custom", message: error, path: [...path], continue: abort !== true });
	return { find: (value) => (fits(value) ? undefined : describe()) };
}

export function regex(pattern: RegExp, message?: string): Check<string> {
	return {
		find: (value) => (value.search(pattern) === -1 ? { code: "invalid_format", message } : undefined),
	};
}

export function minimum(limit: number, message?: string): Check<number> {
	const details = { code: "too_small", minimum: limit, message };
	return { find: (value) => (value >= limit ? undefined : details) };
}

export function maximum(limit: number, message?: string): Check<number> {
	const details = { code: "too_big", maximum: limit, message };
	return { find: (value) => (value <= limit ? undefined : details) };
}

/** What has a length. */
type Lengthy = string | readonly unknown[];

export function minLength(limit: number, message?: string): Check<Lengthy> {
	const find = (value: Lengthy) =>
		value.length >= 2 * limit || lengthOf(value) >= limit
			? undefined
			: { code: "too_small", minimum: limit, origin: originOf(value), message };
	return { find, isOfLength: true };
}

export function maxLength(limit: number, message?: string): Check<Lengthy> {
	const find = (value: Lengthy) =>
		value.length <= limit || lengthOf(value) <= limit
			? undefined
			: { code: "too_big", maximum: limit, origin: originOf(value), message };
	return { find, isOfLength: true };
}

/** The length of a string is in code points, as zod and JSON Schema count it: half of `length` or more. */
function lengthOf(value: Lengthy): number {
	return typeof value === "string" ? [...value].length : value.length;
}

function originOf(value: unknown): string {
	return Array.isArray(value) ? "array" : typeof value;
}
