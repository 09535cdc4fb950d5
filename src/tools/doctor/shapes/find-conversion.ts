import { type Conversion, type Place, samePlace, valueAt } from "./conversion.ts";
import { convertibleTo, isSecondsForMilliseconds } from "./convertible.ts";
import { describeExpected, describeSource, describeType, writePath } from "./describe-field.ts";
import type { ExpectedField } from "./expected-shape.ts";
import {
	findField,
	findList,
	findObject,
	isShortened,
	type KnownValues,
	type SearchedResponse,
} from "./search-response.ts";

/** One way in which a response differs from the assumed shape. */
export interface FieldDifference {
	/** The expected field's path, such as `message.text`. */
	readonly path: string;
	readonly message: string;
	/** Whether a value was found for it, so that a profile can convert it. */
	readonly isConvertible: boolean;
}

/** How `data` becomes what the catalogue expects, as far as that was found. */
export interface FoundConversion {
	/** `undefined` if nothing has to be converted. */
	readonly conversion: Conversion | undefined;
	readonly differences: readonly FieldDifference[];
}

/** Finds the expected fields in the `data` of a response. */
export function findConversion(
	expected: readonly ExpectedField[],
	data: unknown,
	known: KnownValues = {},
): FoundConversion {
	const differences: FieldDifference[] = [];
	const { conversion, isSame } = convertObject(
		{ expected, data, root: "data", known, path: "", differences },
		[],
	);
	return { conversion: isSame ? undefined : conversion, differences };
}

interface Search extends SearchedResponse {
	readonly expected: readonly ExpectedField[];
	/** The path of the expected object. */
	readonly path: string;
	readonly differences: FieldDifference[];
}

interface Found {
	readonly conversion: Conversion;
	/** Whether the value is already the expected one. */
	readonly isSame: boolean;
}

/** @param own - the place where the object is expected. */
function convertObject(search: Search, own: Place): Found {
	const { expected, data, root, path, differences } = search;
	const from = findObject(expected, data, own);
	const isHere = samePlace(from, own);
	// A wrapper that only holds other objects is not looked for.
	const isWrapper = expected.every((field) => field.fields.length > 0);
	if (!isHere && !isWrapper) {
		const where = from.length === 0 ? `${root} itself` : writePath(root, from);
		differences.push({ path: path || "data", message: `has its fields in ${where}`, isConvertible: true });
	}
	const place = isWrapper ? own : from;
	const fields: [string, Conversion][] = [];
	const missing: string[] = [];
	for (const field of expected) {
		const found = convertField(search, field, place);
		if (found === "missing") missing.push(field.name);
		else if (found !== undefined && !found.isSame) fields.push([field.name, found.conversion]);
	}
	const isSame = fields.length === 0 && (isHere || isWrapper);
	return { conversion: { kind: "object", from: place, fields, missing }, isSame };
}

function convertField(search: Search, field: ExpectedField, place: Place): Found | "missing" | undefined {
	const { data, root, differences } = search;
	const path = search.path === "" ? field.name : `${search.path}.${field.name}`;
	const own = [...place, field.name];
	if (field.type === "object" && field.fields.length > 0) {
		const value = valueAt(data, own);
		if (field.isOptional && value === undefined) return undefined;
		if (field.isNullable && value === null) return undefined;
		return convertObject({ ...search, expected: field.fields, path }, own);
	}
	if (field.type === "array" && field.fields.length > 0) return convertList(search, field, own, path);

	const value = valueAt(data, own);
	if (value !== undefined && field.accepts(value) && !isShortened(search, field, place, field.name)) {
		if (!isSecondsForMilliseconds(field, value)) return { conversion: same(own), isSame: true };
		differences.push({ path, message: "is in seconds instead of milliseconds", isConvertible: true });
		return { conversion: { kind: "value", from: own, as: "milliseconds" }, isSame: false };
	}
	const source = findField(search, field, place);
	if (source !== undefined) {
		const as = convertibleTo(field, valueAt(data, source));
		if (as !== undefined) {
			differences.push({ path, message: describeSource(own, source, place, as, root), isConvertible: true });
			return { conversion: { kind: "value", from: source, as }, isSame: false };
		}
	}
	if (field.isOptional && value === undefined) return undefined;
	const message =
		value === undefined ? "is missing" : `is ${describeType(value)} instead of ${describeExpected(field)}`;
	differences.push({ path, message, isConvertible: false });
	return value === undefined ? "missing" : undefined;
}

function convertList(
	search: Search,
	field: ExpectedField,
	own: Place,
	path: string,
): Found | "missing" | undefined {
	const { data, root, differences } = search;
	const from = findList(field, data, own);
	if (from === undefined) {
		const value = valueAt(data, own);
		const message = value === undefined ? "is missing" : `is ${describeType(value)} instead of an array`;
		differences.push({ path, message, isConvertible: false });
		return value === undefined ? "missing" : undefined;
	}
	const isHere = samePlace(from, own);
	if (!isHere) {
		const message = describeSource(own, from, own.slice(0, -1), "same", root);
		differences.push({ path, message, isConvertible: true });
	}
	const items = valueAt(data, from);
	// All items are assumed to have the shape of the first.
	const first: unknown = Array.isArray(items) ? items[0] : undefined;
	if (first === undefined) return { conversion: same(from), isSame: isHere };
	const inner: Search = {
		...search,
		expected: field.fields,
		data: first,
		root: `${writePath(root, from)}[]`,
		path: `${path}[]`,
	};
	const item = convertObject(inner, []);
	if (item.isSame) return { conversion: same(from), isSame: isHere };
	return { conversion: { kind: "list", from, item: item.conversion }, isSame: false };
}

function same(from: Place): Conversion {
	return { kind: "value", from, as: "same" };
}
