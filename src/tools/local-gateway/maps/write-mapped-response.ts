import type { ResponseMap } from "../../../library/catalogue/operation-map.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { toWireTime } from "../../../library/maps/convert-time.ts";
import { readSteps, valueAtSteps, withValueAtSteps } from "../../../library/maps/wire-path.ts";

/** How many items a page has whose size nobody gave. */
const PAGE_SIZE = 50;

/** Whether a list is cut into pages by number: its handler then returns all of it. */
export function isNumbered({ next }: ResponseMap): boolean {
	return next !== undefined && !("cursor" in next);
}

/** Writes our data to the places from which a client reads it by the same map. */
export function writeMappedResponse(
	pageItems: string | undefined,
	map: ResponseMap,
	data: unknown,
	input: Readonly<Record<string, unknown>>,
): unknown {
	const { root = "", list = "", fields, next } = map;
	if (pageItems === undefined) return put({}, root, writeFields(fields, data));
	const all = valueAtSteps(data, [pageItems]);
	const items = Array.isArray(all) ? all : [];
	const { page, rest } = cutPage(next, items, data, input);
	const written = page.map((item: unknown) => writeFields(fields, item));
	return put(
		{},
		root,
		rest.reduce<unknown>((base, [path, value]) => put(base, path, value), put({}, list, written)),
	);
}

/** @param base - what the fields are added to. */
export function writeFields(fields: ResponseMap["fields"], data: unknown, base: unknown = {}): unknown {
	let written = base;
	for (const [path, field] of Object.entries(fields)) {
		const value = valueAtSteps(data, path.split("."));
		const place = typeof field === "string" ? field : "at" in field ? field.at : undefined;
		if (value !== undefined && place !== undefined) written = put(written, place, toWire(field, value));
	}
	return written;
}

function toWire(field: ResponseMap["fields"][string], value: unknown): unknown {
	if (typeof field === "string" || !("at" in field)) return value;
	if (field.unit !== undefined) return toWireTime(value, field.unit) ?? value;
	const [wire] = Object.entries(field.map ?? {}).find(([, ours]) => ours === value) ?? [];
	return wire ?? value;
}

/** The items of a page, and what says how it goes on. */
function cutPage(
	next: ResponseMap["next"],
	all: readonly unknown[],
	data: unknown,
	{ cursor, limit = PAGE_SIZE }: Readonly<Record<string, unknown>>,
): { page: readonly unknown[]; rest: readonly (readonly [path: string, value: unknown])[] } {
	if (next === undefined) return { page: all, rest: [] };
	if ("cursor" in next) {
		const { nextCursor = null } = isJsonObject(data) ? data : {};
		return { page: all, rest: [[next.cursor, nextCursor]] };
	}
	const size = Number(limit);
	const isOffset = "offset" in next;
	const start = isOffset ? Number(cursor ?? 0) : (Math.max(1, Number(cursor ?? 1)) - 1) * size;
	const page = all.slice(start, start + size);
	const { total, more, pages } = { total: undefined, more: undefined, pages: undefined, ...next };
	const told = [
		[total, all.length],
		[more, start + size < all.length],
		[pages, Math.ceil(all.length / size)],
	] as const;
	return {
		page,
		rest: told.flatMap(([path, value]) => (path === undefined ? [] : [[path, value] as const])),
	};
}

/** A copy with a value at a place. */
export function put(base: unknown, path: string, value: unknown): unknown {
	return withValueAtSteps(base, readSteps(path) ?? [], value);
}
