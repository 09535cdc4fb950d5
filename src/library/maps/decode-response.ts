import type { Operation } from "../catalogue/operation.ts";
import type { NextPage, ResponseMap, WireField } from "../catalogue/operation-map.ts";
import { fromWireTime } from "./convert-time.ts";
import { readSteps, valueAtSteps, withValueAtSteps } from "./wire-path.ts";

/** Turns a response's data into ours. What is not on the wire is left out, for the schema to report. */
export function decodeResponse(
	{ pageItems }: Pick<Operation<unknown, unknown>, "pageItems">,
	{ root = "", list = "", fields, next }: ResponseMap,
	data: unknown,
	input: Readonly<Record<string, unknown>>,
): unknown {
	const base = valueAtPath(data, root);
	if (pageItems === undefined) return readFields(fields, base, input);
	const items = valueAtPath(base, list);
	if (!Array.isArray(items)) return { [pageItems]: items };
	return {
		[pageItems]: items.map((item: unknown) => readFields(fields, item, input)),
		nextCursor: next === undefined ? null : readNext(next, base, items.length, input),
	};
}

function readFields(
	fields: ResponseMap["fields"],
	base: unknown,
	input: Readonly<Record<string, unknown>>,
): unknown {
	let data: unknown = {};
	for (const [path, field] of Object.entries(fields)) {
		const value = readWireField(field, base, input);
		if (value !== undefined) data = withValueAtSteps(data, path.split("."), value);
	}
	return data;
}

/** What a field holds; `undefined` if it is not on the wire. */
export function readWireField(
	field: WireField,
	base: unknown,
	input: Readonly<Record<string, unknown>>,
): unknown {
	if (typeof field === "string") return valueAtPath(base, field);
	if ("value" in field) return field.value;
	if ("input" in field) return valueAtPath(input, field.input);
	const value = valueAtPath(base, field.at);
	if (field.unit !== undefined) return fromWireTime(value, field.unit);
	if (field.text === true) return Number.isSafeInteger(value) ? String(value) : value;
	const { map = {} } = field;
	// An object may have no text: only what JSON writes as one value is in a map.
	if (Object(value) === value) return value;
	return Object.hasOwn(map, String(value)) ? map[String(value)] : value;
}

/** The cursor of the next page: that of the gateway, or a number. */
function readNext(
	next: NextPage,
	base: unknown,
	count: number,
	input: Readonly<Record<string, unknown>>,
): string | null {
	if ("cursor" in next) {
		const cursor = valueAtPath(base, next.cursor);
		return (typeof cursor === "string" && cursor !== "") || typeof cursor === "number"
			? String(cursor)
			: null;
	}
	// Without an end that the gateway tells, an empty page is the last one.
	if (count === 0) return null;
	const current = Number(input["cursor"] ?? 0);
	if ("offset" in next) {
		const end = current + count;
		const total = next.total === undefined ? undefined : valueAtPath(base, next.total);
		return total === undefined || end < Number(total) ? String(end) : null;
	}
	const page = Math.max(1, current);
	const more = next.more === undefined ? true : valueAtPath(base, next.more) === true;
	const pages = next.pages === undefined ? Number.POSITIVE_INFINITY : Number(valueAtPath(base, next.pages));
	return more && page < pages ? String(page + 1) : null;
}

function valueAtPath(value: unknown, path: string): unknown {
	return valueAtSteps(value, readSteps(path) ?? []);
}

/** Whether a response needs no body: its data comes from the input. */
export function isWithoutBody(map: ResponseMap): boolean {
	const isOnWire = (field: WireField): boolean => typeof field === "string" || "at" in field;
	return map.list === undefined && !Object.values(map.fields).some(isOnWire);
}
