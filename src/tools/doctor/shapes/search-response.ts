import { isJsonObject } from "../../../library/is-object.ts";
import { type Place, valueAt } from "./conversion.ts";
import { convertibleTo } from "./convertible.ts";
import type { ExpectedField } from "./expected-shape.ts";
import { isPlainKey, similarity } from "./field-names.ts";

/** Bounds of the search, since a response may be large: its depth, the objects, and the keys of each object. */
const MAX_DEPTH = 4;
const MAX_OBJECTS = 500;
const MAX_KEYS = 200;

/** Values that the gateway got from us: a field that holds one of them is recognized whatever its name is. */
export type KnownValues = Readonly<Record<string, string | undefined>>;

/** Where to look. */
export interface SearchedResponse {
	/** What places start from. */
	readonly data: unknown;
	/** The path of that: `data`, or that of a list's items. */
	readonly root: string;
	readonly known: KnownValues;
}

/** Where the object with most of the fields is; `own` if no other has more. */
export function findObject(expected: readonly ExpectedField[], data: unknown, own: Place): Place {
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

/**
 * Where the value of a field may be. In this order: here under the same name apart from case and separators, here as a
 * known value, here under a usual other name, or elsewhere under its exact name.
 */
export function findField(search: SearchedResponse, field: ExpectedField, place: Place): Place | undefined {
	const { data, known } = search;
	const here = valueAt(data, place);
	const keys = plainKeys(here);
	const ranked = keys
		.map((key) => ({ key, score: similarity(field.name, key) }))
		.filter(({ key, score }) => score > 0 && convertibleTo(field, valueAt(here, [key])) !== undefined)
		.sort((left, right) => right.score - left.score);
	const byValue = findKnownValue(known[field.name], here);
	const [byName] = ranked;
	const isNamed = byName !== undefined && byName.score >= 2;
	if (isNamed && !isShortened(search, field, place, byName.key)) return [...place, byName.key];
	if (byValue !== undefined) return [...place, byValue];
	if (byName !== undefined) return [...place, byName.key];
	return [...objectPlaces(data)]
		.map((elsewhere) => [...elsewhere, field.name])
		.find((candidate) => convertibleTo(field, valueAt(data, candidate)) !== undefined);
}

/** Whether a key holds only the start of a known value, such as a preview of a text, and another one holds it in full. */
export function isShortened(
	{ data, known }: SearchedResponse,
	{ name }: ExpectedField,
	place: Place,
	key: string,
): boolean {
	const here = valueAt(data, place);
	const full = known[name];
	const value = valueAt(here, [key]);
	if (full === undefined || typeof value !== "string" || value === full) return false;
	return full.startsWith(value.replace(/(…|\.{3})$/, "")) && findKnownValue(full, here) !== undefined;
}

function findKnownValue(known: string | undefined, here: unknown): string | undefined {
	return plainKeys(here).find((key) => known !== undefined && isSameValue(valueAt(here, [key]), known));
}

/** Numbers may be written with and without their plus. */
function isSameValue(value: unknown, known: string): boolean {
	if (typeof value !== "string" && typeof value !== "number") return false;
	return String(value) === known || (known.startsWith("+") && String(value) === known.slice(1));
}

/** The place of the array that holds the items: its own, one of another name, or the only one. */
export function findList(field: ExpectedField, data: unknown, own: Place): Place | undefined {
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
