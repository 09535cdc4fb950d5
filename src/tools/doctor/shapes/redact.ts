import { MESSAGE_STATUSES, REACTIONS } from "../../../library/catalogue/shared.ts";
import type { ReadResponse } from "../../../library/client/response.ts";
import { shownGatewayCode } from "../../../library/errors.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { isPlainKey } from "./field-names.ts";

/** The deepest nesting and the longest list of fields that are recorded. */
const MAX_DEPTH = 8;
const MAX_FIELDS = 100;

/** Words of the catalogue, which say nothing about anybody. */
const KNOWN_WORDS: ReadonlySet<string> = new Set([
	...MESSAGE_STATUSES,
	...REACTIONS,
	..."online offline blocked native SMS unknown add remove start stop ok OK".split(" "),
]);

/** The kinds of strings that are distinguished. The first that matches names the string. */
const KINDS: readonly (readonly [name: string, pattern: RegExp])[] = [
	["empty string", /^$/],
	["UUID", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
	["phone number", /^\+?\d[\d ()-]{6,18}$/],
	["e-mail address", /^[^\s@]+@[^\s@]+$/],
	["date-time", /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/],
	["URL", /^[a-z][a-z\d+.-]*:\/\//i],
	["numeric string", /^-?\d+(\.\d+)?$/],
	["hexadecimal string", /^[0-9a-f]{16,}$/i],
];

/** The body of a response without its values: keys, types, `null`, `true`, `false` and codes of errors stay. */
export function redactBody({ text, json, isPage, error }: ReadResponse): unknown {
	if (text === undefined) return "<too large>";
	if (text.trim() === "") return "<empty>";
	if (json === undefined) return isPage ? "<web page>" : "<text>";
	const body = redact(json, MAX_DEPTH);
	const code = shownGatewayCode(error?.code);
	if (code !== undefined && isJsonObject(body) && isJsonObject(body["error"])) body["error"]["code"] = code;
	return body;
}

function redact(value: unknown, depth: number): unknown {
	if (Array.isArray(value)) {
		if (depth === 0) return "<array>";
		const [first, ...others] = value;
		if (value.length === 0) return [];
		return others.length === 0 ? [redact(first, depth - 1)] : [redact(first, depth - 1), "<more items>"];
	}
	if (isJsonObject(value)) {
		if (depth === 0) return "<object>";
		const fields = Object.entries(value).slice(0, MAX_FIELDS);
		return Object.fromEntries(
			fields.map(([key, member], at) => [
				isPlainKey(key) ? key : `<key ${at + 1}>`,
				redact(member, depth - 1),
			]),
		);
	}
	if (typeof value === "number") return `<${describeNumber(value)}>`;
	if (typeof value === "string") return KNOWN_WORDS.has(value) ? value : `<${describeString(value)}>`;
	return value;
}

/** What a string is, without its value. */
export function describeString(value: string): string {
	return KINDS.find(([, pattern]) => pattern.test(value))?.[0] ?? "string";
}

/** What a number is, without its value; times around now have a unit. */
export function describeNumber(value: number): string {
	if (looksLikeSeconds(value / 1_000)) return "Unix milliseconds";
	if (looksLikeSeconds(value)) return "Unix seconds";
	return Number.isInteger(value) ? "integer" : "number";
}

/** Whether a value is a time from 2001 to 2286 in seconds. */
export function looksLikeSeconds(value: unknown): boolean {
	return typeof value === "number" && value >= 1e9 && value < 1e10;
}
