import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import {
	checkShape,
	describeIssue,
	dropUndefined,
	joinIssues,
} from "../../../../src/library/catalogue/check.ts";
import { receivedMilliseconds, type Schema } from "../../../../src/library/catalogue/schema.ts";

const optional = z.optional(z.string());

const checkForeignShape = (schema: Schema<unknown>, value: unknown) =>
	checkShape(schema, value, "data", { provenance: "custom" });

describe("checkShape", () => {
	test("accepts any Standard Schema, async ones too, and shows nothing of its messages", async () => {
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
		expect(await checkForeignShape(even, 4)).toEqual({ ok: true, value: 40 });
		expect(await checkForeignShape(even, 3)).toEqual({
			ok: false,
			issues: [{ path: "*.*.*", message: "is invalid" }],
			schemaIssues: [{ path: "a.0.Symbol(s)", message: "must be even" }],
		});
	});

	test.each<[message: string, schema: z.ZodMiniType, value: unknown]>([
		["must be a string", z.string(), 5],
		["must be an array", z.array(z.string()), "x"],
		["must be an integer", z.int(), 1.5],
		["must be at least 2 characters", z.string().check(z.minLength(2)), "x"],
		["must be at most 1 character", z.string().check(z.maxLength(1)), "xx"],
		["must be at least 1 item", z.array(z.unknown()).check(z.minLength(1)), []],
		["must be at most 5", z.number().check(z.maximum(5)), 6],
		["has an unknown field", z.strictObject({}), { b: 1 }],
		["has 2 unknown fields: use a, d", z.strictObject({ a: optional, d: optional }), { b: 1, c: 1 }],
		["must have its own message", z.string().check(z.minLength(2, "must have its own message")), "x"],
	])("reports: %s", async (message, schema, value) => {
		expect(await checkShape(schema, value)).toMatchObject({ ok: false, issues: [{ path: "", message }] });
	});

	test("compares only the first unknown fields with the known ones: there may be any number", async () => {
		const far = Array.from({ length: 20 }, (_, at) => [`+1555123${at}`, 1]);
		const value = Object.fromEntries([...far, ["txet", 1]]);
		const issues = [{ path: "", message: "has 21 unknown fields: use text" }];
		expect(await checkShape(z.strictObject({ text: optional }), value)).toMatchObject({ issues });
	});

	test("a fraction of a received millisecond is valid, although the OpenAPI document shows integers", async () => {
		expect(await checkShape(receivedMilliseconds, 1.5)).toEqual({ ok: true, value: 1.5 });
		expect(await checkShape(receivedMilliseconds, "1")).toMatchObject({ ok: false });
	});

	test("a host's zod settings cannot put a value into a message", async () => {
		z.config({ customError: (issue) => `must not be ${String(issue.input)}` });
		try {
			const issues = [{ path: "", message: "must be a string" }];
			expect(await checkShape(z.string(), 424242)).toEqual({ ok: false, issues, schemaIssues: issues });
			const odd = [{ path: "", message: "is invalid" }];
			expect(await checkShape(z.literal(1), 424242)).toMatchObject({ issues: odd });
			expect(await checkForeignShape(z.literal(1), 424242)).toMatchObject({ issues: odd });
		} finally {
			z.config({ customError: undefined });
		}
	});

	test("an issue without a path is of the whole", () => {
		expect(describeIssue(z.string(), { message: "no" })).toEqual({ path: "", message: "no" });
	});

	test("an issue's path has the keys that the schema names, and a star for any other", () => {
		const schema = z.looseObject({ a: z.string() });
		expect(describeIssue(schema, { message: "no", path: ["a"] })).toEqual({ path: "a", message: "no" });
		expect(describeIssue(schema, { message: "no", path: ["secret"] })).toEqual({ path: "*", message: "no" });
	});

	test("a missing field is reported even if any value is valid", async () => {
		expect(await checkShape(z.object({ a: z.unknown() }), {})).toMatchObject({
			issues: [{ path: "a", message: "is missing" }],
		});
	});

	test.each<[path: string, schema: z.ZodMiniType, given: PropertyKey[]]>([
		["a.*", z.object({ a: z.array(z.string()) }), ["a", "secret"]],
		["*.*", z.object({}), ["constructor", "name"]],
		["*", z.object({}), ["toString"]],
	])("a path that a refinement makes up shows as %s", async (path, schema, given) => {
		const refined = schema.check(z.refine(() => false, { path: given }));
		expect(await checkForeignShape(refined, { a: [] })).toMatchObject({ issues: [{ path }] });
	});

	const item = z.object({ name: z.string() });
	test.each<[path: string, schema: z.ZodMiniType, value: unknown]>([
		["a.0.name", z.object({ a: z.array(item) }), { a: [{ name: 1 }] }],
		["*.*", z.record(z.string(), z.record(z.string(), z.number())), { a: { b: "x" } }],
		["a", z.looseObject({ a: z.string() }), { a: 1 }],
		["*", z.catchall(z.object({}), z.string()), { secret: 1 }],
		["a.name", z.object({ a: z.optional(z.nullable(item)) }), { a: { name: 1 } }],
		[
			"name",
			z.discriminatedUnion("kind", [
				z.object({ kind: z.literal(1), name: z.string() }),
				z.object({ kind: z.literal(2) }),
			]),
			{ kind: 1, name: 1 },
		],
		["1.name", z.tuple([z.string(), item]), ["x", { name: 1 }]],
		["2.name", z.tuple([z.string()], item), ["x", { name: "x" }, { name: 1 }]],
		["name", z.intersection(item, z.object({ b: z.string() })), { name: 1, b: "x" }],
		["name", z.pipe(item, z.transform(String)), { name: 1 }],
		["*", z.record(z.string(), z.number()), { constructor: "x" }],
	])("a path has what the schema names: %s", async (path, schema, value) => {
		expect(await checkForeignShape(schema, value)).toMatchObject({ ok: false, issues: [{ path }] });
	});
});

test("a sentence names the first issues, and counts the others", () => {
	const issues = Array.from({ length: 100_000 }, (_, at) => ({
		path: at === 0 ? "" : `to.${at}`,
		message: "x",
	}));
	const sentence = joinIssues(issues, "the input");
	expect(sentence).toMatch(/^the input x; to\.1 x; .*; to\.19 x; and 99980 more$/);
	expect(joinIssues(issues.slice(0, 2), "the input")).toBe("the input x; to.1 x");
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
		).toStrictEqual({
			b: null,
			c: { e: [undefined, {}] },
			date,
			bytes,
		});
	});

	test("goes as deep as any input nests, and no deeper", () => {
		expect(dropUndefined([[[[{ f: undefined }]]]])).toStrictEqual([[[[{}]]]]);
		expect(dropUndefined([[[[[{ f: undefined }]]]]])).toStrictEqual([[[[[{ f: undefined }]]]]]);
	});

	test("an own __proto__ stays data", () => {
		const copy = dropUndefined(JSON.parse('{"__proto__":{"polluted":1}}')) as Record<string, unknown>;
		expect(Object.keys(copy)).toEqual(["__proto__"]);
		expect(copy["polluted"]).toBeUndefined();
	});
});
