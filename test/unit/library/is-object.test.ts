import { describe, expect, test } from "vitest";
import { isJsonObject, isPlainObject } from "../../../src/library/is-object.ts";

describe("objects", () => {
	test.each<[title: string, value: unknown, isPlain: boolean, isJson: boolean]>([
		["a literal", {}, true, true],
		["an object without a prototype", Object.create(null), true, true],
		["an array", [], false, false],
		["null", null, false, false],
		["a text", "x", false, false],
		["a Date", new Date(), false, true],
	])("%s", (_title, value, isPlain, isJson) => {
		expect(isPlainObject(value)).toBe(isPlain);
		expect(isJsonObject(value)).toBe(isJson);
	});
});
