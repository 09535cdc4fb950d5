import { namesPath } from "../../../library/catalogue/known-path.ts";
import type { RequestMap } from "../../../library/catalogue/operation-map.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { fromWireTime } from "../../../library/maps/convert-time.ts";
import { readPlace, valueAtSteps, withValueAtSteps } from "../../../library/maps/wire-path.ts";
import { type ArrivedRequest, WireReader } from "./wire-reader.ts";

/** What a request says in the places of a map. */
export interface MappedInput {
	/** Under our names. */
	readonly input: Readonly<Record<string, unknown>>;
	/** The places that hold what no source has. */
	readonly unknown: readonly string[];
	/** The places of a constant that hold something else, or nothing. */
	readonly wrong: readonly string[];
}

/** What reading a map needs to know of an operation. */
export interface ReadableOperation {
	readonly input: object;
	/** Reads the value of a field that came as a string. */
	readonly readText: (field: string, text: string) => unknown;
}

/** Reads the fields of an input from their places: what a client wrote there by the same map. */
export function readMappedRequest(
	map: RequestMap,
	request: ArrivedRequest,
	operation: ReadableOperation,
): MappedInput {
	const wire = new WireReader(request);
	const found: ReadFields = { input: {}, unknown: [], wrong: [] };
	for (const [written, source] of Object.entries(map)) {
		const place = readPlace(written);
		if (place === undefined) continue;
		const value = wire.read(place);
		const isText = place.part !== "body";
		readInto(found, source, value, { written, isText, endsInList: place.steps.at(-1) === 0, operation });
	}
	return { ...found, input: asObject(found.input), unknown: [...wire.unread, ...found.unknown] };
}

interface ReadFields {
	input: unknown;
	readonly unknown: string[];
	readonly wrong: string[];
}

interface SourcePlace {
	readonly written: string;
	/** Whether all values are strings there, as in a query. */
	readonly isText: boolean;
	readonly endsInList: boolean;
	readonly operation: ReadableOperation;
}

function readInto(found: ReadFields, source: RequestMap[string], value: unknown, place: SourcePlace): void {
	const { written, isText, operation } = place;
	if (typeof source !== "string" && ("value" in source || "uuid" in source)) {
		const expected = "value" in source ? source.value : value;
		const isSame = isText ? String(value) === String(expected) : value === expected;
		if (value === undefined || !isSame) found.wrong.push(written);
		return;
	}
	if (value === undefined) return;
	if (typeof source !== "string" && "parts" in source) {
		readParts(found, source.parts, value, place);
		return;
	}
	if (typeof source !== "string" && "each" in source) {
		const items = (source.as === "first" ? [value] : asList(value)).map((item) => {
			const read = readItem(source.item, item, operation);
			found.unknown.push(...read.unknown.map((path) => `${written}.${path}`));
			found.wrong.push(...read.wrong.map((path) => `${written}.${path}`));
			return read.input;
		});
		put(found, source.each, isListField(operation, source.each) ? items : items[0]);
		return;
	}
	const field = typeof source === "string" ? source : source.from;
	const read = toField(operation, field, value, place);
	put(found, field, typeof source === "string" ? read : toOurs(source, read, operation, isText));
}

/** A value as its field has it: in a list, or not. */
function toField(
	operation: ReadableOperation,
	field: string,
	value: unknown,
	{ isText, endsInList }: SourcePlace,
): unknown {
	const isList = isListField(operation, field);
	const given = isList && isText && !Array.isArray(value) ? [value] : value;
	const one = endsInList && !isList && Array.isArray(given) ? given[0] : given;
	if (field === "cursor" && typeof one === "number") return String(one);
	return isText && typeof one === "string" ? operation.readText(field, one) : one;
}

function toOurs(
	{ from, map = {}, unit }: Extract<RequestMap[string], { readonly from: string }>,
	value: unknown,
	operation: ReadableOperation,
	isText: boolean,
): unknown {
	if (unit !== undefined) return fromWireTime(value, unit);
	const [ours] =
		Object.entries(map).find(([, wire]) => wire === value || (isText && String(wire) === String(value))) ??
		[];
	return ours === undefined ? value : operation.readText(from, ours);
}

/** Each item belongs to the first part whose map leaves nothing out. */
function readParts(
	found: ReadFields,
	parts: Extract<RequestMap[string], { readonly parts: unknown }>["parts"],
	value: unknown,
	{ written, operation }: SourcePlace,
): void {
	asList(value).forEach((item, at) => {
		const reads = parts.map(({ when, item: map }) => ({ when, ...readItem(map, item, operation) }));
		const read = reads.find(({ unknown, wrong }) => unknown.length + wrong.length === 0);
		if (read === undefined) found.unknown.push(`${written}.${at}`);
		else if (isListField(operation, read.when)) {
			const before = valueAtSteps(found.input, [read.when]);
			put(found, read.when, [...asList(before ?? []), read.input]);
		} else found.input = { ...asObject(found.input), ...asObject(read.input) };
	});
}

function readItem(item: RequestMap | string, value: unknown, { readText }: ReadableOperation): ReadFields {
	const map = typeof item === "string" ? { value: item } : item;
	const body = typeof item === "string" ? { value } : value;
	const request = { params: {}, query: new URLSearchParams(), headers: new Headers(), body };
	const { input, unknown, wrong } = readMappedRequest(map, request, { input: {}, readText });
	return { input, unknown: [...unknown], wrong: [...wrong] };
}

function put(found: ReadFields, field: string, value: unknown): void {
	found.input = withValueAtSteps(found.input, field.split("."), value);
}

function isListField({ input }: ReadableOperation, field: string): boolean {
	return namesPath(input, `${field}.0`);
}

function asList(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [value];
}

function asObject(value: unknown): Record<string, unknown> {
	return isJsonObject(value) ? value : {};
}
