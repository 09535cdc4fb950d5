import { describeHandleProblem } from "../../../library/catalogue/handle.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { ReadSchema } from "../document/read-schema.ts";
import { joined } from "../plan/words.ts";
import { classify } from "./classify.ts";
import { TYPES } from "./find-mark.ts";

const PLAIN: ReadSchema = {
	type: undefined,
	properties: {},
	required: [],
	items: undefined,
	choices: [],
	hasDefault: false,
	words: "",
	format: undefined,
};

const MAX_DEPTH = 8;

/** Times of 2001 and later in Unix seconds, and until 5138. */
const SECONDS = { from: 1e9, to: 1e11 };

/**
 * The schema of a value that was seen. It has no values but the names of events, by which they are recognized.
 * @param written - what the document says of it; names that were not seen are left out, except lists, which may be absent.
 */
export function deliverySchema(
	name: string,
	value: unknown,
	written: ReadSchema | undefined,
	depth = 0,
): ReadSchema {
	if (depth > MAX_DEPTH) return PLAIN;
	if (isJsonObject(value)) return ofObject(value, written, depth);
	const known = written !== undefined && doesFit(value, written.type) ? written : undefined;
	if (Array.isArray(value)) {
		const [first] = value;
		const items = first === undefined ? undefined : deliverySchema("", first, written?.items, depth + 1);
		return { ...PLAIN, ...known, type: "array", items: items ?? known?.items };
	}
	if (value === null) return known ?? PLAIN;
	const seen: ReadSchema = {
		...PLAIN,
		...known,
		type: typeOf(value),
		...ofText(value),
		...ofTime(value, known),
	};
	const isName = TYPES.includes(joined(name)) && typeof value === "string" && isEventName(value);
	return isName ? { ...seen, choices: [value] } : seen;
}

function ofObject(
	value: Record<string, unknown>,
	written: ReadSchema | undefined,
	depth: number,
): ReadSchema {
	const seen = Object.entries(value)
		.filter(([name]) => !["__proto__", "constructor", "prototype"].includes(name))
		.map(
			([name, member]) => [name, deliverySchema(name, member, written?.properties[name], depth + 1)] as const,
		);
	const lists = Object.entries(written?.properties ?? {}).filter(
		([name, { type }]) => type === "array" && !Object.hasOwn(value, name),
	);
	const { words = "" } = written ?? {};
	const required = seen.map(([name]) => name);
	return { ...PLAIN, type: "object", properties: Object.fromEntries([...lists, ...seen]), required, words };
}

function typeOf(value: unknown): string {
	return Number.isSafeInteger(value) ? "integer" : typeof value;
}

function doesFit(value: unknown, type: string | undefined): boolean {
	if (type === undefined || value === null) return true;
	return Array.isArray(value)
		? type === "array"
		: type === typeof value || (type === "integer" && typeof value === "number");
}

/** An id and a number are told apart by what they look like. */
function ofText(value: unknown): Partial<ReadSchema> {
	if (typeof value !== "string") return {};
	if (/^\d{4}-\d\d-\d\d[T ]\d\d:/.test(value)) return { format: "date-time" };
	if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)) return { format: "uuid" };
	return /^https?:\/\//.test(value) ? { format: "uri" } : {};
}

/** Seconds and milliseconds are told apart by their size. */
function ofTime(value: unknown, known: ReadSchema | undefined): Partial<ReadSchema> {
	const isText = typeof value === "string" && /^\d{10}(\d{3})?$/.test(value);
	const time = isText ? Number(value) : value;
	if (typeof time !== "number" || time < SECONDS.from) return {};
	const unit = time < SECONDS.to ? "Unix time in seconds" : "Unix time in milliseconds";
	const words = (known?.words ?? "").replace(/\b(milli)?sec(ond)?s?\b|\bms\b/gi, "");
	return { words: `${words} ${unit}`.trim() };
}

/** Whether a value is the name of an event: never a number or a text of a person. */
function isEventName(value: string): boolean {
	return (
		/^[a-z][\w.:/-]{1,79}$/i.test(value) &&
		!/\d{4}/.test(value) &&
		classify(value) !== undefined &&
		describeHandleProblem(value) !== undefined
	);
}
