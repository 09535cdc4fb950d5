import { describe, expect, test } from "vitest";
import {
	checkShape,
	describeIssue,
	dropUndefined,
	joinIssues,
	validateOwn,
} from "../../../../src/library/catalogue/check.ts";
import { namesPath, neededFields } from "../../../../src/library/catalogue/known-path.ts";
import { receivedMilliseconds, type Schema } from "../../../../src/library/catalogue/schema.ts";
import * as z from "../../../../src/library/catalogue/zod-subset/index.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

/** A schema, as ours are made, and a value. */
type Check = readonly [schema: z.ZodMiniType, value: unknown];

const optional = z.optional(z.string());
const item = z.object({ name: z.string() });
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

/** The issues of a value, as they may be shown; those of one of our schemas, and of a user's that is the same. */
async function issuesOf([schema, value]: Check): Promise<string> {
	const [own, foreign] = await Promise.all([
		checkShape(schema, value),
		checkShape(schema, value, "data", { provenance: "custom" }),
	]);
	if (own.ok || foreign.ok) return "valid";
	expect(foreign.issues.map(({ path }) => path)).toEqual(own.issues.map(({ path }) => path));
	return own.issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
}

const ISSUES: Outcomes<Check> = {
	"must be a string": { "a number for a string": [z.string(), 5] },
	"must be an array": { "a string for an array": [z.array(z.string()), "x"] },
	"must be an integer": { "a fraction for an integer": [z.int(), 1.5] },
	"must be a boolean": { "a string for a boolean": [z.boolean(), "true"] },
	"must be at least 2 characters": { "a string too short": [z.string().check(z.minLength(2)), "x"] },
	"must be at most 1 character": { "a string too long": [z.string().check(z.maxLength(1)), "xx"] },
	"must be at least 1 item": { "an array too short": [z.array(z.unknown()).check(z.minLength(1)), []] },
	"must be at most 2 items": { "an array too long": [z.array(z.unknown()).check(z.maxLength(2)), [1, 2, 3]] },
	"must be at most 5": { "a number too large": [z.number().check(z.maximum(5)), 6] },
	"must be at least 5": { "a number too small": [z.number().check(z.minimum(5)), 4] },
	"has an unknown field": { "a field of an object without fields": [z.strictObject({}), { b: 1 }] },
	"has 2 unknown fields (hidden, since a name may be a secret): use a, d": {
		"two unknown fields": [z.strictObject({ a: optional, d: optional }), { secret: 1, hidden: 1 }],
	},
	"has 21 unknown fields (hidden, since a name may be a secret): use text": {
		"the first 20, which are near to no name, and one that is": [
			z.strictObject({ text: optional }),
			Object.fromEntries([...Array.from({ length: 20 }, (_, at) => [`+1555123${at}`, 1]), ["txet", 1]]),
		],
	},
	"has an unknown field (hidden, since a name may be a secret): use a, d": {
		"an unknown field that could be a secret": [z.strictObject({ a: optional, d: optional }), { secret: 1 }],
	},
	'has an unknown field: "nam" (did you mean "name"?)': {
		"an unknown field that is like another": [z.strictObject({ name: optional }), { nam: 1 }],
	},
	"a has an unknown field (hidden, since a name may be a secret): use name": {
		"an unknown field of a field": [
			z.object({ a: z.strictObject({ name: optional }) }),
			{ a: { secret: 1 } },
		],
	},
	"must have its own message": {
		"a check with a message": [z.string().check(z.minLength(2, "must have its own message")), "x"],
	},
	"must be 1": { "another literal": [z.literal(1), 424242] },
	"a is missing": {
		"a missing field": [z.object({ a: z.string() }), {}],
		"a missing field whose value may be any": [z.object({ a: z.unknown() }), {}],
	},
	"a must be a string": {
		"a field of an object that may have others": [z.looseObject({ a: z.string() }), { a: 1 }],
	},
	"a.0.name must be a string": {
		"a field of an item": [z.object({ a: z.array(item) }), { a: [{ name: 1 }] }],
	},
	"a.name must be a string": {
		"a field of what may be null or absent": [
			z.object({ a: z.optional(z.nullable(item)) }),
			{ a: { name: 1 } },
		],
	},
	"*.* must be a number": {
		"a key of a record in a record": [
			z.record(z.string(), z.record(z.string(), z.number())),
			{ a: { b: "x" } },
		],
	},
	"* must be a number": {
		"a key of a record that every object inherits": [z.record(z.string(), z.number()), { constructor: "x" }],
	},
	"name must be a string": {
		"a field of one of several": [
			z.discriminatedUnion("kind", [
				z.object({ kind: z.literal(1), name: z.string() }),
				z.object({ kind: z.literal(2) }),
			]),
			{ kind: 1, name: 1 },
		],
	},
	"1.name must be a string": { "an item of a tuple": [z.tuple([z.string(), item]), ["x", { name: 1 }]] },
	valid: {
		"an absent field that may be": [z.object({ a: optional }), {}],
	},
};

testOutcomes(ISSUES, issuesOf);

test("a fraction of a received millisecond is valid, although the OpenAPI document shows integers", async () => {
	expect(await checkShape(receivedMilliseconds, 1.5)).toEqual({ ok: true, value: 1.5 });
	expect(await checkShape(receivedMilliseconds, "1")).toMatchObject({ ok: false });
});

/** Where a schema reports an issue, whose message is "no". */
type Reported = readonly [schema: object, path?: readonly (PropertyKey | { key: PropertyKey })[]];

const PATHS: Outcomes<Reported> = {
	"": { "no path is the whole": [z.string()], "an empty path is the whole": [z.string(), []] },
	a: {
		"a field": [z.looseObject({ a: z.string() }), ["a"]],
		"a field as an object": [z.object({ a: item }), [{ key: "a" }]],
	},
	"a.*": { "a field that an array has not": [z.object({ a: z.array(z.string()) }), ["a", "secret"]] },
	"*": {
		"a field that the schema does not name": [z.looseObject({ a: z.string() }), ["secret"]],
		"a field that every object inherits": [z.object({}), ["toString"]],
		"a field of a schema that cannot be read": [even, ["a"]],
		"a key of a tuple that is no index": [z.tuple([item]), ["length"]],
		"an index beyond a tuple": [z.tuple([item]), [1]],
	},
	"*.*": { "a field of a field that every object inherits": [z.object({}), ["constructor", "name"]] },
	"0.name": { "a field of an item of a tuple": [z.tuple([item]), [0, "name"]] },
	"*.name": { "a field of any member": [z.record(z.string(), item), ["secret", "name"]] },
};

describe("the path of an issue", () => {
	testOutcomes(PATHS, ([schema, path]) => {
		const issue = describeIssue(schema, path === undefined ? { message: "no" } : { message: "no", path });
		expect(issue.message).toBe("no");
		return issue.path;
	});
});

const listed = z.object({ a: z.array(item), b: z.string(), to: optional, c: optional });

const NAMED: Outcomes<readonly [schema: object, path: string]> = {
	true: {
		"a field": [listed, "a"],
		"a field of an item in brackets": [listed, "a[0].name"],
		"a field of an item between dots": [listed, "a.12.name"],
	},
	false: {
		"another field": [listed, "d"],
		"a field of a field that has none": [listed, "b.name"],
		"an item of three digits, which could be a short code": [listed, "a[123].name"],
		"an item that begins with a digit": [listed, "a.1x"],
		"an item that ends with a digit": [listed, "a.x1"],
		"a field of a schema that cannot be read": [even, "a"],
	},
};

describe("whether a schema names a foreign path:", () => {
	testOutcomes(NAMED, ([schema, path]) => String(namesPath(schema, path)));
});

test("an input needs its fields that are not optional, and its target", () => {
	expect(neededFields(listed)).toEqual(["a", "b", "to"]);
	expect([neededFields(z.string()), neededFields(even)]).toEqual([[], []]);
});

describe("a schema of the user's", () => {
	const custom = { provenance: "custom" } as const;

	test("may be any Standard Schema, async too, and its messages are not shown", async () => {
		expect(await checkShape(even, 4, "data", custom)).toEqual({ ok: true, value: 40 });
		expect(await checkShape(even, 3, "data", custom)).toEqual({
			ok: false,
			issues: [{ path: "*.*.*", message: "is invalid" }],
			schemaIssues: [{ path: "a.0.Symbol(s)", message: "must be even" }],
		});
		expect(await validateOwn(even, 4)).toEqual({ value: 40 });
	});

	test("whose structure can be read has our messages instead of its own", async () => {
		const message = (schema: z.ZodMiniType, value: unknown) => checkShape(schema, value, "data", custom);
		expect(await message(z.string(), 424242)).toMatchObject({ issues: [{ message: "must be a string" }] });
		expect(await message(z.string().check(z.minLength(2, "424242")), "x")).toMatchObject({
			issues: [{ path: "", message: "must be at least 2 characters" }],
			schemaIssues: [{ path: "", message: "424242" }],
		});
		expect(await message(z.strictObject({}), { b: 1, c: 1 })).toMatchObject({
			schemaIssues: [{ path: "", message: "has unknown fields: b, c" }],
		});
	});

	test.each([
		["data", undefined],
		["input", "input"],
	] as const)("that throws is an issue of the %s", async (side, given) => {
		const throwing: Schema<unknown> = {
			"~standard": {
				version: 1,
				vendor: "test",
				validate: () => {
					throw new Error("424242");
				},
			},
		};
		const issues = [{ path: "", message: `made the operation's ${side} schema throw` }];
		expect(await checkShape(throwing, 1, given, custom)).toEqual({ ok: false, issues, schemaIssues: issues });
	});
});

describe("values that are allowed beyond a schema", () => {
	const schema = z.object({ a: z.string(), b: z.array(z.string()) });
	const allows = (value: unknown, message: string) => value === 5 && message === "must be a string";
	const check = (value: unknown) => checkShape(schema, value, "data", {}, allows);

	test("are valid where they are, and leave the value as it is", async () => {
		const value = { a: 5, b: ["x", 5] };
		expect(await check(value)).toEqual({ ok: true, value });
	});

	test("let no other issue pass", async () => {
		expect(await check({ a: 5, b: ["x", 6] })).toMatchObject({ issues: [{ path: "b.1" }] });
		expect(await check({ a: 5 })).toMatchObject({ issues: [{ path: "b" }] });
		expect(await check(null)).toMatchObject({ issues: [{ path: "" }] });
	});
});

const issues = (count: number) =>
	Array.from({ length: count }, (_, at) => ({ path: at === 0 ? "" : `to.${at}`, message: "x" }));

test("a sentence names the first issues, and counts the others", () => {
	expect(joinIssues(issues(2), "the input")).toBe("the input x; to.1 x");
	expect(joinIssues(issues(20), "the input")).toMatch(/^the input x; to\.1 x; .*; to\.19 x$/);
	expect(joinIssues(issues(21), "the input")).toMatch(/; to\.19 x; and 1 more$/);
	expect(joinIssues(issues(100_000), "the input")).toMatch(/; to\.19 x; and 99980 more$/);
});

describe("dropUndefined", () => {
	test("leaves out undefined members at every depth, and keeps null, items and values of classes", () => {
		const kept = { b: null, date: new Date(0), bytes: Uint8Array.of(1), text: "x" };
		const given = { ...kept, a: undefined, c: { d: undefined, e: [undefined, { f: undefined }] } };
		expect(dropUndefined(given)).toStrictEqual({ ...kept, c: { e: [undefined, {}] } });
		expect(given).toHaveProperty("a");
	});

	test("goes as deep as any input nests, and no deeper", () => {
		expect(dropUndefined([[[[{ f: undefined }]]]])).toStrictEqual([[[[{}]]]]);
		expect(dropUndefined([[[[[{ f: undefined }]]]]])).toStrictEqual([[[[[{ f: undefined }]]]]]);
		const nested = (inner: object) => ({ a: { a: { a: { a: inner } } } });
		expect(dropUndefined(nested({ f: undefined }))).toStrictEqual(nested({}));
		expect(dropUndefined(nested({ a: { f: undefined } }))).toStrictEqual(nested({ a: { f: undefined } }));
	});

	test("an own __proto__ stays data", () => {
		const copy = dropUndefined(JSON.parse('{"__proto__":{"polluted":1}}')) as Record<string, unknown>;
		expect(Object.keys(copy)).toEqual(["__proto__"]);
		expect(copy["polluted"]).toBeUndefined();
	});
});
