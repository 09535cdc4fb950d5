import { canonicalize } from "messaging-gateway/signing";
import { expect, test } from "vitest";
import { findShape, learnShape, type Shape } from "../../../../src/library/signing/canonical-json.ts";
import type { KeyOrder } from "../../../../src/library/signing/json-writer.ts";

/** An object with these keys, each its own place as its value. */
function objectOf(keys: readonly string[]): Record<string, number> {
	return Object.fromEntries(keys.map((key, at) => [key, at]));
}

function shapeOf(object: object, order: KeyOrder): Shape {
	const keys = Object.keys(object);
	const shape = findShape(keys, order) ?? learnShape(keys, order);
	if (shape === undefined) throw new Error("it has no shape");
	return shape;
}

function expected(keys: readonly string[]): string {
	return JSON.stringify(objectOf(keys), [...keys].sort());
}

test("objects that share their first keys do not get each other's order", () => {
	const objects = [["b", "a"], ["b", "c"], ["b"], ["b", "a", "c"], ["b", "c", "a"], ["b", "aa"]];
	for (const keys of [...objects, ...objects]) expect(canonicalize(objectOf(keys))).toBe(expected(keys));
});

test("the two orders of one shape are kept apart", () => {
	const object = objectOf(["shape-z", "shape-a"]);
	expect(shapeOf(object, "sorted").ordered).toEqual(["shape-a", "shape-z"]);
	expect(shapeOf(object, "insertion").ordered).toEqual(["shape-z", "shape-a"]);
});

test("a shape is remembered", () => {
	const shape = shapeOf(objectOf(["known-b", "known-a"]), "sorted");
	expect(shapeOf(objectOf(["known-b", "known-a"]), "sorted")).toBe(shape);
	expect(Object.keys(shape.template ?? {})).toEqual(["known-a", "known-b"]);
});

test("an object with the first keys of a known shape has another shape", () => {
	expect(shapeOf(objectOf(["long-b", "long-a", "long-c"]), "sorted").given).toHaveLength(3);
	expect(shapeOf(objectOf(["long-b", "long-a"]), "sorted").given).toEqual(["long-b", "long-a"]);
});

test.each([
	["many keys", Array.from({ length: 33 }, (_, at) => `many-${at}`)],
	["a long key", [`long-${"x".repeat(64)}`]],
])("an object with %s has none, and is written rightly", (_title, given) => {
	expect(learnShape(given, "sorted")).toBeUndefined();
	expect(findShape(given, "sorted")).toBeUndefined();
	expect(canonicalize(objectOf(given))).toBe(expected(given));
});

test("no object gets the shape of another that begins like it, or of one without keys", () => {
	for (const keys of [[], [""], []]) expect(shapeOf(objectOf(keys), "sorted").given).toEqual(keys);
	expect(canonicalize([{}, { "": 1 }, {}])).toBe('[{},{"":1},{}]');
});

test.each(["0", "10", "__proto__"])("no object can be trusted to have %s in order", (key) => {
	const object: object = JSON.parse(`{"b":1,"${key}":2}`);
	expect(shapeOf(object, "sorted").template).toBeUndefined();
});

test("more shapes than are remembered are written rightly, and the first ones are forgotten", () => {
	const forgotten = objectOf(["forgotten"]);
	const shape = shapeOf(forgotten, "sorted");
	const shapes = Array.from({ length: 1_000 }, (_, at) => [`first-${at}`, "b", "a"]);
	const alike = Array.from({ length: 100 }, (_, at) => ["same-first", `b-${at}`, "a"]);
	for (const keys of [...shapes, ...alike, ...shapes])
		expect(canonicalize(objectOf(keys))).toBe(expected(keys));
	expect(shapeOf(forgotten, "sorted")).not.toBe(shape);
	expect(shapeOf(forgotten, "sorted")).toEqual(shape);
});
