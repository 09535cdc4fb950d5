import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { checkShape, describeIssue, dropUndefined, isJsonObject } from "../../../src/catalogue/check.ts";
import { isPlainObject } from "../../../src/catalogue/plain-object.ts";
import type { Schema } from "../../../src/catalogue/schema.ts";

describe("checkShape", () => {
	test("takes any Standard Schema, one that answers later too", async () => {
		const even: Schema<number> = {
			"~standard": {
				version: 1,
				vendor: "test",
				validate: async (value) =>
					typeof value === "number" && value % 2 === 0
						? { value: value * 10 }
						: { issues: [{ message: "must be even", path: ["a", { key: 0 }, Symbol("s")] }] },
			},
		};
		expect(await checkShape(even, 4)).toEqual({ ok: true, value: 40 });
		expect(await checkShape(even, 3)).toEqual({
			ok: false,
			issues: [{ path: "a.0.Symbol(s)", message: "must be even" }],
		});
	});

	test.each<[message: string, schema: z.ZodMiniType, value: unknown]>([
		["must be a string", z.string(), 5],
		["must be an array", z.array(z.string()), "x"],
		["must be at least 2 characters", z.string().check(z.minLength(2)), "x"],
		["must be at most 1 character", z.string().check(z.maxLength(1)), "xx"],
		["must be at least 1 item", z.array(z.unknown()).check(z.minLength(1)), []],
		["must be at most 5", z.number().check(z.maximum(5)), 6],
		["has a field that is not known: b", z.strictObject({}), { b: 1 }],
		["has fields that are not known: b,c", z.strictObject({}), { b: 1, c: 1 }],
		["must have its own words", z.string().check(z.minLength(2, "must have its own words")), "x"],
	])("says: %s", async (message, schema, value) => {
		expect(await checkShape(schema, value)).toEqual({ ok: false, issues: [{ path: "", message }] });
	});

	test("a host's zod settings cannot put a value into a message", async () => {
		z.config({ customError: (issue) => `got ${String(issue.input)}` });
		try {
			const checked = await checkShape(z.string(), 424242);
			expect(checked).toEqual({ ok: false, issues: [{ path: "", message: "must be a string" }] });
		} finally {
			z.config({ customError: undefined });
		}
	});

	test("an issue without a path is of the whole", () => {
		expect(describeIssue({ message: "no" })).toEqual({ path: "", message: "no" });
	});
});

describe("dropUndefined", () => {
	test("leaves out undefined members at every depth, and keeps null, items and values of classes", () => {
		const date = new Date(0);
		const bytes = Uint8Array.of(1);
		expect(
			dropUndefined({
				a: undefined,
				b: null,
				c: { d: undefined, e: [undefined, { f: undefined }] },
				date,
				bytes,
			}),
		).toEqual({
			b: null,
			c: { e: [undefined, {}] },
			date,
			bytes,
		});
	});

	test("an own __proto__ stays data", () => {
		const copy = dropUndefined(JSON.parse('{"__proto__":{"polluted":1}}')) as Record<string, unknown>;
		expect(Object.keys(copy)).toEqual(["__proto__"]);
		expect(copy["polluted"]).toBeUndefined();
	});
});

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
