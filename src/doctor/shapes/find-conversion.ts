import { isJsonObject } from "../../catalogue/check.ts";
import { type Conversion, type Place, valueAt } from "./conversion.ts";
import type { ExpectedField } from "./expected-shape.ts";
import { isPlainKey, similarity } from "./field-names.ts";
import { describeNumber, describeString, looksLikeSeconds } from "./redact.ts";

/** How deep, at how many objects, and among how many keys of each is searched: a response may be large. */
const MAX_DEPTH = 4;
const MAX_OBJECTS = 500;
const MAX_KEYS = 200;

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

/** Values that the gateway got from us: a field that holds one of them is recognized whatever its name is. */
export type KnownValues = Readonly<Record<string, string | undefined>>;

/** Finds the expected fields in the `data` of a response. */
export function findConversion(
	expected: readonly ExpectedField[],
	data: unknown,
	known: KnownValues = {},
): FoundConversion {
	const differences: FieldDifference[] = [];
	const { conversion, isSame } = convertObject({ expected, data, known, path: "", differences }, []);
	return { conversion: isSame ? undefined : conversion, differences };
}

interface Search {
	readonly expected: readonly ExpectedField[];
	/** What places start from. */
	readonly data: unknown;
	readonly known: KnownValues;
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
	const { expected, data, path, differences } = search;
	const from = findObject(expected, data, own);
	const isHere = samePlace(from, own);
	// A wrapper that only holds other objects is not looked for.
	const isWrapper = expected.every((field) => field.fields.length > 0);
	if (!isHere && !isWrapper) {
		const where = from.length === 0 ? "data itself" : `data.${from.join(".")}`;
		differences.push({ path: path || "data", message: `has its fields in ${where}`, isConvertible: true });
	}
	const place = isWrapper ? own : from;
	const fields: [string, Conversion][] = [];
	for (const field of expected) {
		const found = convertField(search, field, place);
		if (found !== undefined && !found.isSame) fields.push([field.name, found.conversion]);
	}
	const isSame = fields.length === 0 && (isHere || isWrapper);
	return { conversion: { kind: "object", from: place, fields }, isSame };
}

function convertField(search: Search, field: ExpectedField, place: Place): Found | undefined {
	const { data, differences } = search;
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
	if (value !== undefined && field.accepts(value)) {
		if (!isSecondsForMilliseconds(field, value)) return { conversion: same(own), isSame: true };
		differences.push({ path, message: "is in seconds instead of milliseconds", isConvertible: true });
		return { conversion: { kind: "value", from: own, as: "milliseconds" }, isSame: false };
	}
	const source = findField(search, field, place);
	if (source !== undefined) {
		const as = howToConvert(field, valueAt(data, source));
		if (as !== undefined) {
			differences.push({ path, message: describeSource(own, source, place, as), isConvertible: true });
			return { conversion: { kind: "value", from: source, as }, isSame: false };
		}
	}
	if (field.isOptional && value === undefined) return undefined;
	if (value === undefined && field.isNullable) {
		differences.push({ path, message: "is missing; the profile gives null", isConvertible: true });
		return { conversion: { kind: "constant", value: null }, isSame: false };
	}
	const message =
		value === undefined ? "is missing" : `is ${describeType(value)} instead of ${describeExpected(field)}`;
	differences.push({ path, message, isConvertible: false });
	return undefined;
}

function convertList(search: Search, field: ExpectedField, own: Place, path: string): Found | undefined {
	const { data, differences } = search;
	const from = findList(field, data, own);
	if (from === undefined) {
		const value = valueAt(data, own);
		const message = value === undefined ? "is missing" : `is ${describeType(value)} instead of an array`;
		differences.push({ path, message, isConvertible: false });
		return undefined;
	}
	const isHere = samePlace(from, own);
	if (!isHere) differences.push({ path, message: `is called ${from.join(".")}`, isConvertible: true });
	const items = valueAt(data, from);
	// What the first item shows is assumed of the others.
	const first: unknown = Array.isArray(items) ? items[0] : undefined;
	if (first === undefined) return { conversion: same(from), isSame: isHere };
	const inner: Search = { ...search, expected: field.fields, data: first, path: `${path}[]` };
	const item = convertObject(inner, []);
	if (item.isSame) return { conversion: same(from), isSame: isHere };
	return { conversion: { kind: "list", from, item: item.conversion }, isSame: false };
}

/** Where the object with most of the fields is; `own` if no other has more. */
function findObject(expected: readonly ExpectedField[], data: unknown, own: Place): Place {
	let best: { place: Place; score: number } = {
		place: own,
		score: scoreObject(expected, valueAt(data, own)),
	};
	for (const place of objectPlaces(data)) {
		const score = scoreObject(expected, valueAt(data, place));
		if (score > best.score) best = { place, score };
	}
	return best.place;
}

function scoreObject(expected: readonly ExpectedField[], value: unknown): number {
	const keys = plainKeys(value);
	const scores: number[] = expected.map(({ name }) =>
		Math.max(0, ...keys.map((key) => similarity(name, key))),
	);
	return scores.reduce((sum, score) => sum + score, 0);
}

/** Where the value of a field may be: by a value that is known, by its name here, or by its exact name elsewhere. */
function findField({ data, known }: Search, field: ExpectedField, place: Place): Place | undefined {
	const here = valueAt(data, place);
	const keys = plainKeys(here);
	const ranked = keys
		.map((key) => ({ key, score: similarity(field.name, key) }))
		.filter(({ key, score }) => score > 0 && howToConvert(field, valueAt(here, [key])) !== undefined)
		.sort((left, right) => right.score - left.score);
	const value = known[field.name];
	const byValue = keys.find((key) => value !== undefined && isSameValue(valueAt(here, [key]), value));
	const [byName] = ranked;
	if (byName !== undefined && byName.score >= 2) return [...place, byName.key];
	if (byValue !== undefined) return [...place, byValue];
	if (byName !== undefined) return [...place, byName.key];
	return [...objectPlaces(data)]
		.map((elsewhere) => [...elsewhere, field.name])
		.find((candidate) => howToConvert(field, valueAt(data, candidate)) !== undefined);
}

/** The place of the array that holds the items: its own, one of another name, or the only one. */
function findList(field: ExpectedField, data: unknown, own: Place): Place | undefined {
	if (Array.isArray(valueAt(data, own))) return own;
	const places = [...objectPlaces(data)].flatMap((place) => {
		const keys = plainKeys(valueAt(data, place));
		return keys.map((key) => [...place, key]).filter((candidate) => Array.isArray(valueAt(data, candidate)));
	});
	const named = places.find((place) => similarity(field.name, place.at(-1) ?? "") > 0);
	return named ?? (places.length === 1 ? places[0] : undefined);
}

/** The places of all objects below `data`, itself first, the shallow ones before the deep ones. */
function* objectPlaces(data: unknown): Generator<Place> {
	let level: Place[] = [[]];
	let count = 0;
	for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
		const next: Place[] = [];
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

/** The keys of an object that can be shown and pasted; none for another value. */
function plainKeys(value: unknown): string[] {
	return isJsonObject(value) ? Object.keys(value).slice(0, MAX_KEYS).filter(isPlainKey) : [];
}

type ConversionName = Extract<Conversion, { kind: "value" }>["as"];

/** How a value becomes one that the field accepts; `undefined` if it cannot. */
function howToConvert(field: ExpectedField, value: unknown): ConversionName | undefined {
	if (value === undefined) return undefined;
	if (field.accepts(value)) return isSecondsForMilliseconds(field, value) ? "milliseconds" : "same";
	if (field.type === "string" && typeof value === "number") return "string";
	if (field.type !== "number" || typeof value !== "string") return undefined;
	if (/^-?\d+(\.\d+)?$/.test(value)) return "number";
	return describeString(value) === "date-time" && !Number.isNaN(Date.parse(value)) ? "date" : undefined;
}

function isSecondsForMilliseconds({ isMilliseconds, name }: ExpectedField, value: unknown): boolean {
	return isMilliseconds && !name.endsWith("AgeMs") && typeof value === "number" && looksLikeSeconds(value);
}

/** Numbers may be written with and without their plus. */
function isSameValue(value: unknown, known: string): boolean {
	if (typeof value !== "string" && typeof value !== "number") return false;
	return String(value) === known || (known.startsWith("+") && String(value) === known.slice(1));
}

function describeSource(own: Place, source: Place, place: Place, as: ConversionName): string {
	const type = {
		same: "",
		string: "is a number instead of a string",
		number: "is a numeric string instead of a number",
		milliseconds: "is in seconds instead of milliseconds",
		date: "is a date-time string instead of milliseconds",
	}[as];
	if (samePlace(own, source)) return type;
	const isBeside = samePlace(source.slice(0, -1), place);
	const name = isBeside ? `is called ${source.at(-1)}` : `is at data.${source.join(".")}`;
	return type === "" ? name : `${name}, and ${type}`;
}

function describeExpected({ type, isNullable }: ExpectedField): string {
	const name = type === "other" ? "another type" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
	return isNullable ? `${name} or null` : name;
}

function describeType(value: unknown): string {
	if (value === null) return "null";
	if (Array.isArray(value)) return "an array";
	if (typeof value === "number") return `a number (${describeNumber(value)})`;
	return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function same(from: Place): Conversion {
	return { kind: "value", from, as: "same" };
}

function samePlace(left: Place, right: Place): boolean {
	return left.length === right.length && left.every((key, at) => key === right[at]);
}
