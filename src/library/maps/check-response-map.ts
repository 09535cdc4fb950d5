import { namesPath } from "../catalogue/known-path.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { ResponseMap } from "../catalogue/operation-map.ts";
import { assertKnownKeys, assertOneOf, isWord } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { isPlainObject } from "../is-object.ts";
import { assertValueMap, UNITS } from "./check-source.ts";
import { readSteps } from "./wire-path.ts";

/** What the next page may be known by, and what it may have besides. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
	cursor: [],
	offset: ["total"],
	page: ["more", "pages"],
};

/** @throws ConfigurationError naming the part that is invalid. */
export function checkResponseMap(
	name: string,
	map: ResponseMap,
	operation: Operation<unknown, unknown>,
): void {
	const { id, pageItems } = operation;
	assertKnownKeys(name, map, ["root", "list", "fields", "next"]);
	const { root, list, fields, next } = map;
	if (root !== undefined) assertWirePath(`${name}.root`, root);
	if (list !== undefined) assertWirePath(`${name}.list`, list);
	if (pageItems === undefined && (list ?? next) !== undefined) {
		throw new ConfigurationError(`${name} has list or next, and ${id} returns no pages`);
	}
	if (!isPlainObject(fields)) throw new ConfigurationError(`${name}.fields must be an object of our fields`);
	for (const [path, field] of Object.entries(fields)) {
		const isShown = path.split(".").every(isWord);
		const owner = `${name}.fields["${isShown ? path : "…"}"]`;
		const isKnown =
			!/(^|\.)\d/.test(path) &&
			namesPath(operation.data, pageItems === undefined ? path : `${pageItems}.0.${path}`);
		if (!isKnown) throw new ConfigurationError(`${owner} is no field of what ${id} returns`);
		assertWireField(owner, field, operation);
	}
	if (next === undefined) return;
	const kind = isPlainObject(next) ? Object.keys(NEXT).find((key) => Object.hasOwn(next, key)) : undefined;
	if (kind === undefined) {
		throw new ConfigurationError(`${name}.next must be an object with cursor, offset or page`);
	}
	assertKnownKeys(`${name}.next`, next, [kind, ...(NEXT[kind] ?? [])]);
	for (const [key, value] of Object.entries(next)) {
		const isFlag = key === "offset" || key === "page";
		if (isFlag && value !== true) throw new ConfigurationError(`${name}.next.${key} must be true`);
		if (!isFlag) assertWirePath(`${name}.next.${key}`, value);
	}
}

/** @param operation - whose input a field may come from; `undefined` for an event. */
export function assertWireField(
	name: string,
	field: unknown,
	operation: Operation<unknown, unknown> | undefined,
): void {
	if (typeof field === "string") {
		assertWirePath(name, field);
		return;
	}
	if (!isPlainObject(field)) {
		const keys = operation === undefined ? "at or value" : "at, input or value";
		throw new ConfigurationError(`${name} must be a place, or an object with ${keys}`);
	}
	if ("value" in field) assertKnownKeys(name, field, ["value"]);
	else if ("input" in field && operation !== undefined) {
		assertKnownKeys(name, field, ["input"]);
		const { input: path } = field;
		if (typeof path === "string" && namesPath(operation.input, path)) return;
		throw new ConfigurationError(`${name}.input is no field of the input of ${operation.id}`);
	} else {
		assertKnownKeys(name, field, ["at", "unit", "map", "text"]);
		const { at, unit, map, text } = field;
		assertWirePath(`${name}.at`, at);
		assertOneOf(`${name}.unit`, unit, UNITS);
		if (text !== undefined && text !== true) throw new ConfigurationError(`${name}.text must be true`);
		if ([unit, map, text].filter((kind) => kind !== undefined).length > 1) {
			throw new ConfigurationError(`${name} may have one of unit, map and text`);
		}
		if (map !== undefined) assertValueMap(`${name}.map`, map);
	}
}

/** @throws ConfigurationError for a place that is none. */
export function assertWirePath(name: string, path: unknown): void {
	if (typeof path === "string" && readSteps(path) !== undefined) return;
	throw new ConfigurationError(
		`${name} must be names with dots, such as message.id or to[], without __proto__, constructor and prototype`,
	);
}
