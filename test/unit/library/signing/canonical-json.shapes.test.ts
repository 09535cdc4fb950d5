import { canonicalize } from "messaging-gateway/signing";
import { expect, test } from "vitest";
import { findShape, learnShape, serialize } from "../../../../src/library/signing/canonical-json.ts";

/** An object with these keys, each its own place as its value. */
function objectOf(keys: readonly string[]): Record<string, number> {
	return Object.fromEntries(keys.map((key, at) => [key, at]));
}

function expected(keys: readonly string[]): string {
	return JSON.stringify(objectOf(keys), [...keys].sort());
}

test("objects that share their first keys do not get each other's order", () => {
	const objects = [["b", "a"], ["b", "c"], ["b"], ["b", "a", "c"], ["b", "c", "a"], ["b", "aa"]];
	for (const keys of [...objects, ...objects]) expect(canonicalize(objectOf(keys))).toBe(expected(keys));
});

test.each([
	["many keys", Array.from({ length: 33 }, (_, at) => `many-${at}`)],
	["a long key", [`long-${"x".repeat(64)}`]],
])("an object with %s has none, and is written rightly", (_title, given) => {
	expect(learnShape(given, "sorted")).toBeUndefined();
	expect(canonicalize(objectOf(given))).toBe(expected(given));
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
		expect(canonicalize(objectOf(keys))).toBe(expected(keys));
	expect(findShape(["forgotten"], "sorted")).not.toBe(known);
});
