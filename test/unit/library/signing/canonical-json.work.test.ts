import { canonicalize } from "messaging-gateway/signing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

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

/** Written member by member, with none of our code. */
function expected(object: Readonly<Record<string, number>>): string {
	const names = Object.keys(object).sort();
	return `{${names.map((name) => `"${name}":${object[name]}`).join(",")}}`;
}

function nested(levels: number): string {
	return "[".repeat(levels) + "]".repeat(levels);
}

test("a small object is copied in order, and written by the engine", () => {
	expect(canonicalize({ small: 1, copy: [1] })).toBe('{"copy":[1],"small":1}');
	expect(copies).toHaveLength(1);
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
		const objects = Array.from({ length: 65 }, (_, at) => ({ [`z-${at}`]: 1, a: 2 }));
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
