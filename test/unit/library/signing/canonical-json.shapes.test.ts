import { canonicalize } from "messaging-gateway/signing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findShape, learnShape, serialize } from "../../../../src/library/signing/canonical-json.ts";

/** An object with these keys, each its own place as its value. */
function objectOf(keys: readonly string[]): Record<string, number> {
	return Object.fromEntries(keys.map((key, at) => [key, at]));
}

/** Written member by member, with none of our code. */
function expected(object: Readonly<Record<string, number>>): string {
	const names = Object.keys(object).sort();
	return `{${names.map((name) => `"${name}":${object[name]}`).join(",")}}`;
}

test("objects that share their first keys do not get each other's order", () => {
	const objects = [["b", "a"], ["b", "c"], ["b"], ["b", "a", "c"], ["b", "c", "a"], ["b", "aa"]];
	for (const keys of [...objects, ...objects])
		expect(canonicalize(objectOf(keys))).toBe(expected(objectOf(keys)));
});

test.each([
	["many keys", Array.from({ length: 33 }, (_, at) => `many-${at}`)],
	["a long key", [`long-${"x".repeat(64)}`]],
])("an object with %s has none, and is written rightly", (_title, given) => {
	expect(learnShape(given, "sorted")).toBeUndefined();
	expect(canonicalize(objectOf(given))).toBe(expected(objectOf(given)));
});

test("an object without keys, and one with the empty key, do not get each other's order", () => {
	expect(canonicalize([{}, { "": 1 }, {}])).toBe('[{},{"":1},{}]');
});

test("the two orders of one shape are kept apart", () => {
	const object = objectOf(["shape-z", "shape-a"]);
	for (let round = 0; round < 2; round++) {
		expect(serialize(object, "sorted")).toBe('{"shape-a":1,"shape-z":0}');
		expect(serialize(object, "insertion")).toBe('{"shape-z":0,"shape-a":1}');
	}
});

test.each(["0", "10", "__proto__"])("a copy cannot be trusted to have %s in order", (key) => {
	const object: object = JSON.parse(`{"b":1,"${key}":2}`);
	for (let round = 0; round < 2; round++) expect(canonicalize(object)).toBe(`{"${key}":2,"b":1}`);
});

test("more shapes than are remembered are written rightly, and the first ones are forgotten", () => {
	const known = learnShape(["forgotten"], "sorted");
	expect(findShape(["forgotten"], "sorted")).toBe(known);
	const shapes = Array.from({ length: 1_000 }, (_, at) => [`first-${at}`, "b", "a"]);
	const alike = Array.from({ length: 100 }, (_, at) => ["same-first", `b-${at}`, "a"]);
	for (const keys of [...shapes, ...alike, ...shapes])
		expect(canonicalize(objectOf(keys))).toBe(expected(objectOf(keys)));
	expect(findShape(["forgotten"], "sorted")).not.toBe(known);
});

/** The values, not strings, that JSON.stringify wrote since the test began: ordered copies. */
const copies: object[] = [];

beforeEach(() => {
	const { stringify } = JSON;
	vi.spyOn(JSON, "stringify").mockImplementation((value: unknown) => {
		if (typeof value === "object" && value !== null) copies.push(value);
		return stringify(value);
	});
});

afterEach(() => {
	vi.restoreAllMocks();
	copies.length = 0;
});

/** An object with this many keys, all beginning alike, each with its number. */
function wide(keys: number, prefix = "key-"): Record<string, number> {
	return Object.fromEntries(Array.from({ length: keys }, (_, at) => [`${prefix}${(at * 7) % keys}`, at]));
}

function nested(levels: number): string {
	return "[".repeat(levels) + "]".repeat(levels);
}

function nestedObjects(levels: number): string {
	return `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
}

/** Objects of so many shapes that no other test has. */
function shapesOf(prefix: string, count: number): Record<string, number>[] {
	return Array.from({ length: count }, (_, at) => ({ [`${prefix}-${at}`]: 1, a: 2 }));
}

describe("is copied in order, and written by the engine:", () => {
	const alike = Array.from({ length: 100 }, () => ({ of: 1, one: 2, kind: 3 }));
	const few = shapesOf("few", 64);
	test.each<[title: string, value: object, written: string]>([
		["a small object", { small: 1, copy: [1] }, '{"copy":[1],"small":1}'],
		["keys that only begin or end with a digit", { b0: 1, "0a": 2 }, '{"0a":2,"b0":1}'],
		["many objects of one shape", alike, `[${alike.map(() => '{"kind":3,"of":1,"one":2}').join(",")}]`],
		["objects of 64 shapes", few, `[${few.map(expected).join(",")}]`],
		["64 levels of objects", JSON.parse(nestedObjects(64)), nestedObjects(64)],
	])("%s", (_title, value, written) => {
		expect(canonicalize(value)).toBe(written);
		expect(copies).toHaveLength(1);
	});
});

describe("what a copy would cost more than its bytes is written piece by piece", () => {
	test.each([33, 10_000])("an object of %i keys", (keys) => {
		expect(canonicalize(wide(keys))).toBe(expected(wide(keys)));
		expect(canonicalize([{ a: wide(keys) }])).toBe(`[{"a":${expected(wide(keys))}}]`);
		expect(copies).toEqual([]);
	});

	test("an object with a long key", () => {
		const object = { [`b${"x".repeat(64)}`]: 1, a: 2 };
		expect(canonicalize(object)).toBe(expected(object));
		expect(copies).toEqual([]);
	});

	test("objects of many shapes", () => {
		const objects = shapesOf("many", 65);
		expect(canonicalize(objects)).toBe(`[${objects.map(expected).join(",")}]`);
		expect(copies).toEqual([]);
	});

	test("more than 64 levels: JSON.stringify looks through all levels above each", () => {
		expect(canonicalize(JSON.parse(nested(64)))).toBe(nested(64));
		expect(copies).toHaveLength(1);
		expect(canonicalize(JSON.parse(nested(65)))).toBe(nested(65));
		expect(copies).toHaveLength(1);
	});
});

test.each([1, 10_000])(
	"the keys of an object of %i are listed twice at most, and each member is read once",
	(keys) => {
		const lists: PropertyKey[][] = [];
		const reads = new Map<PropertyKey, number>();
		const object = new Proxy(wide(keys), {
			ownKeys(target) {
				const list = Reflect.ownKeys(target);
				lists.push(list);
				return list;
			},
			get(target, key) {
				reads.set(key, (reads.get(key) ?? 0) + 1);
				return Reflect.get(target, key);
			},
		});
		expect(canonicalize(object)).toBe(expected(wide(keys)));
		expect(lists.length).toBeLessThanOrEqual(2);
		reads.delete("toJSON");
		expect(Math.max(...reads.values())).toBe(1);
	},
);
