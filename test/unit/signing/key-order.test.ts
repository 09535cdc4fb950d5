import { canonicalize } from "messaging-gateway/signing";
import { expect, test } from "vitest";
import { orderKeys } from "../../../src/signing/key-order.ts";

const quote = (key: string): string => JSON.stringify(key);

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

test("the two orders of one shape are kept apart", () => {
	const given = ["shape-z", "shape-a"];
	expect(orderKeys(given, "sorted", quote).map(({ key }) => key)).toEqual(["shape-a", "shape-z"]);
	expect(orderKeys(given, "insertion", quote).map(({ key }) => key)).toEqual(given);
});

test("a shape is remembered", () => {
	const ordered = orderKeys(["known-b", "known-a"], "sorted", quote);
	expect(orderKeys(["known-b", "known-a"], "sorted", quote)).toBe(ordered);
});

test.each([
	["many keys", Array.from({ length: 33 }, (_, at) => `many-${at}`)],
	["a long key", [`long-${"x".repeat(64)}`]],
])("a shape with %s is not", (_title, given) => {
	expect(orderKeys(given, "sorted", quote)).not.toBe(orderKeys(given, "sorted", quote));
});

test("more shapes than are remembered are written rightly, and the first ones are forgotten", () => {
	const ordered = orderKeys(["forgotten"], "sorted", quote);
	const shapes = Array.from({ length: 1_000 }, (_, at) => [`first-${at}`, "b", "a"]);
	const alike = Array.from({ length: 100 }, (_, at) => ["same-first", `b-${at}`, "a"]);
	for (const keys of [...shapes, ...alike, ...shapes])
		expect(canonicalize(objectOf(keys))).toBe(expected(keys));
	expect(orderKeys(["forgotten"], "sorted", quote)).not.toBe(ordered);
	expect(orderKeys(["forgotten"], "sorted", quote)).toEqual(ordered);
});
