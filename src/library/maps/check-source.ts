import type { RequestMap, WireSource } from "../catalogue/operation-map.ts";
import { assertKnownKeys, assertOneOf, isWord } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { isPlainObject } from "../is-object.ts";
import { readPlace } from "./wire-path.ts";

/** What a source is known by, and what it may have besides. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
	value: [],
	from: ["map", "unit"],
	uuid: [],
	each: ["item", "as"],
	parts: [],
};

/** The units of a time on the wire. */
export const UNITS = ["s", "ms", "iso"];

/**
 * Checks where a value comes from.
 * @param isField - whether a path names a field of the input.
 * @throws ConfigurationError naming what is invalid.
 */
export function assertSource(name: string, source: unknown, isField: (path: string) => boolean): void {
	if (typeof source === "string") {
		assertField(name, source, isField);
		return;
	}
	const kind = isPlainObject(source)
		? Object.keys(KINDS).find((key) => Object.hasOwn(source, key))
		: undefined;
	if (!isPlainObject(source) || kind === undefined) {
		throw new ConfigurationError(
			`${name} must be the name of a field, or an object with one of ${Object.keys(KINDS).join(", ")}`,
		);
	}
	assertKnownKeys(name, source, [kind, ...(KINDS[kind] ?? [])]);
	// The keys are known, and each part is checked.
	assertKind(name, source as Exclude<WireSource, string>, isField);
}

function assertKind(
	name: string,
	source: Exclude<WireSource, string>,
	isField: (path: string) => boolean,
): void {
	if ("value" in source) assertConstant(`${name}.value`, source.value);
	else if ("uuid" in source) {
		if (source.uuid !== true) throw new ConfigurationError(`${name}.uuid must be true`);
	} else if ("each" in source) {
		assertField(`${name}.each`, source.each, isField);
		assertOneOf(`${name}.as`, source.as, ["list", "first"]);
		const base = isField(`${source.each}.0`) ? `${source.each}.0` : source.each;
		assertItem(`${name}.item`, source.item, (path) => isField(`${base}.${path}`));
	} else if ("parts" in source) {
		if (!Array.isArray(source.parts) || source.parts.length === 0) {
			throw new ConfigurationError(`${name}.parts must be a list of { when, item }`);
		}
		source.parts.forEach((part, at) => {
			const owner = `${name}.parts[${at}]`;
			const { when, item } = part;
			assertKnownKeys(owner, part, ["when", "item"]);
			assertField(`${owner}.when`, when, isField);
			const isList = isField(`${when}.0`);
			assertItem(`${owner}.item`, item, (path) => isField(isList ? `${when}.0.${path}` : path));
			if (typeof item === "string") throw new ConfigurationError(`${owner}.item must be an object`);
		});
	} else {
		assertField(`${name}.from`, source.from, isField);
		assertOneOf(`${name}.unit`, source.unit, UNITS);
		if ((source.map === undefined) === (source.unit === undefined)) {
			throw new ConfigurationError(
				`${name} needs map or unit: write the name of the field alone without them`,
			);
		}
		assertValueMap(`${name}.map`, source.map ?? {}, assertConstant);
	}
}

/** @param isField - whether a path names a field of an item. */
function assertItem(name: string, item: RequestMap | string, isField: (path: string) => boolean): void {
	if (typeof item === "string") {
		assertField(name, item, isField);
		return;
	}
	if (!isPlainObject(item) || Object.keys(item).length === 0) {
		throw new ConfigurationError(`${name} must be the name of a field, or an object of places in an item`);
	}
	for (const [path, source] of Object.entries(item)) {
		const owner = `${name}["${isWord(path) ? path : "…"}"]`;
		if (readPlace(path)?.part !== "body") throw new ConfigurationError(`${owner} must be a place in an item`);
		assertSource(owner, source, isField);
		if (isPlainObject(source) && ("uuid" in source || "parts" in source || "each" in source)) {
			throw new ConfigurationError(`${owner} must be a field, value or from: an item has no other`);
		}
	}
	if (Object.values(item).some((source) => typeof source === "string" || "from" in source)) return;
	throw new ConfigurationError(`${name} has no field: each item would be the same`);
}

function assertField(name: string, path: unknown, isField: (path: string) => boolean): void {
	// A number would be the place of an item.
	if (typeof path === "string" && !/(^|\.)\d/.test(path) && isField(path)) return;
	const what = typeof path === "string" && path.split(".").every(isWord) ? `${path} is` : "it names";
	throw new ConfigurationError(`${name}: ${what} no field of the input`);
}

/** Rejects a value that JSON and a query write differently, such as an object. */
function assertConstant(name: string, value: unknown): void {
	const isNumber = typeof value === "number" && Number.isFinite(value);
	if (typeof value === "string" || typeof value === "boolean" || value === null || isNumber) return;
	throw new ConfigurationError(`${name} must be a string, a number, true, false or null`);
}

/** Checks an object from the values of one side to those of the other. */
export function assertValueMap(
	name: string,
	map: unknown,
	assertValue: (name: string, value: unknown) => void = () => undefined,
): void {
	if (!isPlainObject(map)) throw new ConfigurationError(`${name} must be an object of values`);
	for (const value of Object.values(map)) assertValue(`each value of ${name}`, value);
}
