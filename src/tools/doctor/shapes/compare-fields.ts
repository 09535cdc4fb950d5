import { isJsonObject } from "../../../library/is-object.ts";
import type { ExpectedField } from "./expected-shape.ts";
import { isPlainKey, similarity } from "./field-names.ts";
import { describeNumber, describeString, looksLikeSeconds } from "./redact.ts";

/** Bounds of the search, since a response may be large: its depth, the objects, and the keys of each object. */
const MAX_DEPTH = 4;
const MAX_OBJECTS = 500;
const MAX_KEYS = 200;

/** The keys from what is compared to a value. */
type KeyPath = readonly string[];

/** One way in which a response differs from the assumed shape. */
export interface FieldDifference {
	/** The expected field's path, such as `message.text`. */
	readonly path: string;
	readonly message: string;
	readonly isMissing: boolean;
}

interface Comparison {
	readonly expected: readonly ExpectedField[];
	/** What places start from: the data of a response, or an item of a list in it. */
	readonly data: unknown;
	/** The path of that. */
	readonly root: string;
	/** The path of the expected object. */
	readonly path: string;
	readonly differences: FieldDifference[];
}

/**
 * Looks for the expected fields in the data of a response.
 * @returns the differences, and the data under our names, as far as it was found.
 */
export function compareFields(
	expected: readonly ExpectedField[],
	data: unknown,
): { readonly differences: readonly FieldDifference[]; readonly found: unknown } {
	const differences: FieldDifference[] = [];
	const found = compareObject({ expected, data, root: "data", path: "", differences }, []);
	return { differences, found };
}

/** @param own - the place where the object is expected. */
function compareObject(comparison: Comparison, own: KeyPath): object {
	const { expected, data, root, path, differences } = comparison;
	// A wrapper that only holds other objects is not looked for.
	const isWrapper = expected.every(({ fields }) => fields.length > 0);
	const place = isWrapper ? own : findObject(expected, data, own);
	if (!isSamePlace(place, own)) {
		const where = place.length === 0 ? `${root} itself` : [root, ...place].join(".");
		differences.push({ path: path || root, message: `has its fields in ${where}`, isMissing: false });
	}
	const fields = expected.map((field) => [field.name, compareField(comparison, field, place)]);
	return { ...Object(valueAt(data, place)), ...Object.fromEntries(fields) };
}

function compareField(comparison: Comparison, field: ExpectedField, place: KeyPath): unknown {
	const { data, root, differences } = comparison;
	const { name, type, fields, isOptional, isNullable } = field;
	const path = comparison.path === "" ? name : `${comparison.path}.${name}`;
	const own = [...place, name];
	const present = valueAt(data, own);
	if (type === "object" && fields.length > 0) {
		if ((isOptional && present === undefined) || (isNullable && present === null)) return present;
		return compareObject({ ...comparison, expected: fields, path }, own);
	}
	const source = findField(field, data, place);
	if (source === undefined) {
		if (!isOptional) differences.push({ path, message: "is missing", isMissing: true });
		return undefined;
	}
	const value = valueAt(data, source);
	const sourcePath = [root, ...source].join(".");
	const problems = [describePlace(own, source, sourcePath), describeMismatch(field, value)].filter(
		(problem) => problem !== undefined,
	);
	if (problems.length > 0) differences.push({ path, message: problems.join(", and "), isMissing: false });
	if (!Array.isArray(value) || value.length === 0 || fields.length === 0) return value;
	// All items are assumed to have the shape of the first.
	const ofItem = {
		expected: fields,
		data: value[0],
		root: `${sourcePath}[]`,
		path: `${path}[]`,
		differences,
	};
	return [compareObject(ofItem, [])];
}

/** Where the object with most of the fields is; `own` if no other has more. */
function findObject(expected: readonly ExpectedField[], data: unknown, own: KeyPath): KeyPath {
	let best = { place: own, score: scoreObject(expected, valueAt(data, own)) };
	for (const place of objectPlaces(data)) {
		const score = scoreObject(expected, valueAt(data, place));
		if (score > best.score) best = { place, score };
	}
	return best.place;
}

function scoreObject(expected: readonly ExpectedField[], value: unknown): number {
	const keys = plainKeys(value);
	return expected
		.map(({ name }) => Math.max(0, ...keys.map((key) => similarity(name, key))))
		.reduce((sum, score) => sum + score, 0);
}

/** Where a field is: here, under the name that is most like ours and has a value of its type, or elsewhere under its own. */
function findField(field: ExpectedField, data: unknown, place: KeyPath): KeyPath | undefined {
	const here = valueAt(data, place);
	const rank = (key: string): number =>
		similarity(field.name, key) + (field.accepts(valueAt(here, [key])) ? 4 : 0);
	const [best] = plainKeys(here)
		.filter((key) => similarity(field.name, key) > 0)
		.sort((left, right) => rank(right) - rank(left));
	if (best !== undefined) return [...place, best];
	return [...objectPlaces(data)]
		.map((elsewhere) => [...elsewhere, field.name])
		.find((candidate) => valueAt(data, candidate) !== undefined);
}

/** The places of all objects below `data`, itself first, the shallow ones before the deep ones. */
function* objectPlaces(data: unknown): Generator<KeyPath> {
	let level: KeyPath[] = [[]];
	let count = 0;
	for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
		const next: KeyPath[] = [];
		for (const place of level) {
			const value = valueAt(data, place);
			if (!isJsonObject(value)) continue;
			yield place;
			count += 1;
			if (count === MAX_OBJECTS) return;
			for (const key of plainKeys(value)) next.push([...place, key]);
		}
		level = next;
	}
}

/** The keys of an object that can be shown; none for another value. */
function plainKeys(value: unknown): string[] {
	return isJsonObject(value) ? Object.keys(value).slice(0, MAX_KEYS).filter(isPlainKey) : [];
}

function valueAt(data: unknown, place: KeyPath): unknown {
	return place.reduce<unknown>(
		(value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
		data,
	);
}

function isSamePlace(left: KeyPath, right: KeyPath): boolean {
	return left.join(".") === right.join(".");
}

function describePlace(own: KeyPath, source: KeyPath, sourcePath: string): string | undefined {
	if (isSamePlace(own, source)) return undefined;
	const isBeside = isSamePlace(own.slice(0, -1), source.slice(0, -1));
	return isBeside ? `is called ${source.at(-1)}` : `is at ${sourcePath}`;
}

function describeMismatch(field: ExpectedField, value: unknown): string | undefined {
	const { name, type, isNullable, isMilliseconds } = field;
	if (!field.accepts(value)) {
		const expected = type === "other" ? "another type" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
		return `is ${describeValue(value)} instead of ${expected}${isNullable ? " or null" : ""}`;
	}
	const isInSeconds = isMilliseconds && !name.endsWith("AgeMs") && looksLikeSeconds(value);
	return isInSeconds ? "is in seconds instead of milliseconds" : undefined;
}

/** What a value is, without showing it. */
function describeValue(value: unknown): string {
	if (value === null) return "null";
	if (Array.isArray(value)) return "an array";
	if (typeof value === "number") return `a number (${describeNumber(value)})`;
	if (typeof value === "string") return `a string (${describeString(value)})`;
	return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
