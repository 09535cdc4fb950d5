import { invalidInput } from "../catalogue/invalid-input.ts";
import type { Operation } from "../catalogue/operation.ts";
import type {
	ChosenRoute,
	MappedRequest,
	OperationMap,
	RequestMap,
	RouteMap,
	WireSource,
} from "../catalogue/operation-map.ts";
import { isJsonObject } from "../is-object.ts";
import { toWireTime } from "./convert-time.ts";
import { readPlace, valueAtSteps, withValueAtSteps } from "./wire-path.ts";

/** What a request is made of. */
export interface RequestSources {
	readonly input: Readonly<Record<string, unknown>>;
	/** The sender of calls that name none. */
	readonly from: string | undefined;
	/** The UUID of the call. */
	readonly uuid: string;
	/** How a list goes on. */
	readonly next: NonNullable<OperationMap["response"]>["next"];
	/** The operation's routes: a field that chooses one needs no other place. */
	readonly routes: readonly Pick<RouteMap, "when">[];
}

/** What says what a message contains, in an attachment: without it the message is another one. */
const CONTENT = ["url", "data"];

/**
 * Puts the fields of an input into their places.
 * @throws InputError if a field has no place, or no value that fits there: a message is sent whole, or not at all.
 */
export function encodeRequest(
	{ id }: Pick<Operation<unknown, unknown>, "id">,
	{ method, pathTemplate, request = {} }: ChosenRoute,
	{ input, from, uuid, next, routes }: RequestSources,
): MappedRequest {
	const used = new Set(routes.flatMap(({ when = {} }) => namesOf(when)));
	const fields = { from, ...input };
	const reader = { fields, used, uuid, isNumbered: next !== undefined && !("cursor" in next) };
	const params: Record<string, unknown> = {};
	const query: Record<string, unknown> = {};
	const headers: Record<string, string> = {};
	let body: unknown;
	for (const [written, source] of Object.entries(request)) {
		const value = readSource(source, reader);
		const place = readPlace(written);
		if (place === undefined) continue;
		const { part, name, steps } = place;
		if (value === undefined) {
			// The path would otherwise name what only the gateway knows.
			if (part === "params") throw invalidInput(fieldOf(source), `is needed for ${method} ${pathTemplate}`);
		} else if (part === "params") params[name] = value;
		else if (part === "query") query[name] = value;
		else if (part === "headers") headers[name] = toHeaderValue(value, fieldOf(source));
		else body = withValueAtSteps(body, steps, value);
	}
	// It is only added where it has a place.
	if (fields["from"] === from) used.add("from");
	assertWhole(reader, "", `has no place in the profile's map of ${id}, ${method} ${pathTemplate}`);
	return { params, query, body, headers };
}

/** Reads fields, and notes which ones were read. */
interface FieldReader {
	readonly fields: unknown;
	readonly used: Set<string>;
	readonly uuid: string;
	/** Whether the cursor of a list is a number on the wire. */
	readonly isNumbered: boolean;
}

function readSource(source: WireSource, reader: FieldReader): unknown {
	if (typeof source === "string") return readField(source, reader);
	if ("value" in source) return source.value;
	if ("uuid" in source) return reader.uuid;
	if ("each" in source) {
		const items = itemsAt(source.each, reader)?.map((item) => itemOf(source.item, item, source.each, reader));
		if (source.as !== "first") return items;
		if ((items?.length ?? 0) > 1) throw invalidInput(source.each, "must be one: the gateway takes no more");
		return items?.[0];
	}
	if ("parts" in source) {
		return source.parts.flatMap(({ when, item }) => {
			const value = readField(when, reader);
			if (value === undefined) return [];
			if (!Array.isArray(value)) return [objectOf(item, reader)];
			return value.map((each: unknown) => itemOf(item, each, when, reader));
		});
	}
	const value = readField(source.from, reader);
	if (value === undefined) return undefined;
	if (source.unit !== undefined) {
		const time = toWireTime(value, source.unit);
		if (time === undefined) throw invalidInput(source.from, "must be a time in Unix milliseconds");
		return time;
	}
	const { map = {} } = source;
	return Object.hasOwn(map, String(value)) ? map[String(value)] : value;
}

function readField(path: string, { fields, used, isNumbered }: FieldReader): unknown {
	used.add(path);
	const value = valueAtSteps(fields, path.split("."));
	if (path !== "cursor" || !isNumbered || value === undefined) return value;
	if (typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value);
	throw invalidInput(path, "must be the nextCursor of the page before");
}

/** A field as a list; one that is none has one item. */
function itemsAt(path: string, reader: FieldReader): unknown[] | undefined {
	const value = readField(path, reader);
	return value === undefined || Array.isArray(value) ? value : [value];
}

/** An item of a list on the wire, from one of ours. */
function itemOf(item: RequestMap | string, fields: unknown, path: string, { uuid }: FieldReader): unknown {
	const reader = { fields, used: new Set<string>(), uuid, isNumbered: false };
	const written = typeof item === "string" ? readField(item, reader) : objectOf(item, reader);
	assertWhole(reader, path, "has no place in the profile's map");
	return written;
}

function objectOf(item: RequestMap, reader: FieldReader): unknown {
	let object: unknown = {};
	for (const [path, source] of Object.entries(item)) {
		const value = readSource(source, reader);
		if (value !== undefined) object = withValueAtSteps(object, readPlace(path)?.steps ?? [], value);
	}
	return object;
}

/** @param path - of the item whose fields these are; empty for the input. */
function assertWhole({ fields, used }: FieldReader, path: string, problem: string): void {
	if (!isJsonObject(fields)) return;
	const isItem = path !== "";
	for (const [name, value] of Object.entries(fields)) {
		if (used.has(name) || (isItem && !CONTENT.includes(name))) continue;
		const inner = [...used].filter((each) => each.startsWith(`${name}.`));
		if (inner.length === 0) throw invalidInput(isItem ? `${path}.${name}` : name, problem);
		const rest = new Set(inner.map((each) => each.slice(name.length + 1)));
		assertWhole({ fields: value, used: rest, uuid: "", isNumbered: false }, name, problem);
	}
}

/** The fields that a condition compares. */
function namesOf(when: NonNullable<RouteMap["when"]>): string[] {
	return Object.keys(when).filter((name) => when[name] !== true);
}

/** The field that an error names. */
function fieldOf(source: WireSource): string {
	if (typeof source === "string") return source;
	return "from" in source ? source.from : "";
}

function toHeaderValue(value: unknown, field: string): string {
	const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
	if (typeof text === "string" && /^[!-~]([ -~]*[!-~])?$/.test(text)) return text;
	throw invalidInput(field, "must be visible ASCII, since the profile sends it as a header");
}
