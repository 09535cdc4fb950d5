import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as zod from "zod/mini";
import { checkShape } from "../../src/library/catalogue/check.ts";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import type { Schema } from "../../src/library/catalogue/schema.ts";
import * as subset from "../../src/library/catalogue/zod-subset/index.ts";
import { cases } from "../support/cases.ts";
import { changedInput, operationSamples } from "../support/operation-samples.ts";
import { anyValue, changedValue, EDGES } from "./changed-values.ts";
import { ACCEPTED_CHANGES } from "./operation-inputs.ts";
import { loadSubsetCatalogue } from "./subset-catalogue.ts";

const built = await loadSubsetCatalogue();

interface Compared {
	readonly title: string;
	/** Made with zod. */
	readonly zods: Schema<unknown>;
	/** Made with the subset. */
	readonly ours: Schema<unknown>;
	readonly samples: readonly unknown[];
}

/** Every schema of the catalogue. */
const SCHEMAS: readonly Compared[] = [
	...OPERATIONS.flatMap(({ id, input, data }, index): Compared[] => {
		const ours = built.OPERATIONS[index];
		if (ours?.id !== id) throw new Error(`${id} is missing`);
		const changes = ACCEPTED_CHANGES.filter(([other]) => other === id);
		const inputs = [{}, ...changes.map(([, , each]) => each)].map((each) => changedInput(id, each));
		return [
			{ title: `the input of ${id}`, zods: input, ours: ours.input, samples: inputs },
			{ title: `the data of ${id}`, zods: data, ours: ours.data, samples: [operationSamples[id].data] },
		];
	}),
];

/** Uses of each function that the catalogue has, and some that it could have: none compiles that the subset lacks. */
const PARTS: readonly [title: string, create: (z: typeof subset) => Schema<unknown>][] = [
	["string", (z) => z.string()],
	["boolean", (z) => z.boolean()],
	["number", (z) => z.number()],
	["unknown", (z) => z.unknown()],
	["literal", (z) => z.literal("a")],
	["enum", (z) => z.enum(["a", "b"])],
	["enum with a message", (z) => z.enum(["a", "b"], "must be a or b")],
	["int", (z) => z.int()],
	["int with a message and a check without one", (z) => z.int("must be an integer").check(z.minimum(1))],
	["int as a check", (z) => z.number().check(z.int("must be an integer"), z.minimum(0), z.maximum(100))],
	["int as a check without a message", (z) => z.number().check(z.int())],
	["minimum and maximum with messages", (z) => z.number().check(z.minimum(1, "low"), z.maximum(1, "high"))],
	["base64", (z) => z.base64()],
	["base64 with a message and a check without one", (z) => z.base64("must be base64").check(z.minLength(5))],
	["regex", (z) => z.string().check(z.regex(/^a/))],
	["regex with a flag that keeps its place", (z) => z.string().check(z.regex(/a/g, "must have an a"))],
	["minLength and maxLength", (z) => z.string().check(z.minLength(3), z.maxLength(32))],
	["a refinement", (z) => z.string().check(z.refine((value) => value !== "a", "must not be a"))],
	[
		"a refinement that ends the checks",
		(z) =>
			z.string().check(
				z.refine(() => false, { error: "no", abort: true }),
				z.maxLength(0),
				z.regex(/b/),
			),
	],
	[
		"a refinement that does not, and one with a path",
		(z) =>
			z.string().check(
				z.refine(() => false, "no"),
				z.refine(() => false, { error: "b", path: ["a", 0] }),
			),
	],
	["nullable", (z) => z.nullable(z.string())],
	["nullable with a check", (z) => z.nullable(z.string()).check(z.refine((value) => value !== "a", "no"))],
	["array", (z) => z.array(z.unknown())],
	["array of objects", (z) => z.array(z.looseObject({ a: z.string() }))],
	[
		"array with lengths",
		(z) => z.array(z.string().check(z.minLength(1))).check(z.minLength(1, "none"), z.maxLength(2)),
	],
	[
		"array with a refinement before its length",
		(z) =>
			z.array(z.string()).check(
				z.refine(() => false, "no"),
				z.maxLength(2),
			),
	],
	[
		"array in a schema of a length",
		(z) => z.readonly(z.array(z.unknown()).check(z.maxLength(1))).check(z.minLength(99)),
	],
	["readonly", (z) => z.readonly(z.array(z.number()))],
	["record", (z) => z.record(z.string(), z.unknown())],
	["record of objects", (z) => z.record(z.string(), z.looseObject({ a: z.number() }))],
	["union", (z) => z.union([z.string(), z.number()])],
	["union with a message", (z) => z.union([z.literal("a"), z.record(z.string(), z.unknown())], "must be a")],
	[
		"union of objects",
		(z) => z.union([z.strictObject({ a: z.string().check(z.minLength(1)) }), z.strictObject({ b: z.int() })]),
	],
	[
		"union of what only checks tell apart",
		(z) => z.union([z.string().check(z.minLength(2)), z.string().check(z.regex(/b/))]),
	],
	[
		"union with a check",
		(z) => z.union([z.string(), z.number()]).check(z.refine((value) => value !== 1, "no")),
	],
	["tuple", (z) => z.tuple([z.unknown()])],
	["tuple of objects", (z) => z.tuple([z.looseObject({ a: z.string() }), z.nullable(z.number())])],
	[
		"discriminated union",
		(z) =>
			z.discriminatedUnion("a", [
				z.object({ a: z.literal("a"), b: z.string() }),
				z.strictObject({ a: z.enum(["b", "c"]) }),
				z.object({ a: z.literal(1) }),
			]),
	],
	[
		"discriminated union with a message",
		(z) => z.discriminatedUnion("a", [z.object({ a: z.literal("a") })], "must be a"),
	],
	[
		"discriminated union in a list",
		(z) => z.array(z.discriminatedUnion("a", [z.object({ a: z.literal(""), b: z.unknown() })])),
	],
	["object", (z) => z.object({ a: z.string(), b: z.unknown() })],
	["object of objects", (z) => z.object({ a: z.object({}), b: z.optional(z.object({ c: z.string() })) })],
	["loose object", (z) => z.looseObject({ a: z.string(), b: z.unknown() })],
	["strict object", (z) => z.strictObject({ a: z.unknown() })],
	["strict object of nothing", (z) => z.strictObject({})],
	["optional", (z) => z.strictObject({ a: z.optional(z.string()), b: z.optional(z.nullable(z.number())) })],
	[
		"exactOptional",
		(z) => z.strictObject({ a: z.exactOptional(z.string()), b: z.exactOptional(z.unknown()) }),
	],
	[
		"object with refinements",
		(z) =>
			z
				.strictObject({ a: z.optional(z.unknown()), b: z.optional(z.string()) })
				.check(z.refine((value) => Object.hasOwn(value, "a"), "must have a")),
	],
	["objects in objects", (z) => z.looseObject({ a: z.looseObject({ b: z.array(z.strictObject({})) }) })],
];

/** zod's own functions; they accept more than the subset's. */
const FROM_ZOD: object = zod;

/** What a check makes of a value, as data: odd values make both throw. */
async function resultOf(check: typeof checkShape, schema: Schema<unknown>, value: unknown): Promise<object> {
	return check(schema, value).catch(() => ({ threw: true }));
}

describe("the subset of zod in the bundles", () => {
	test("the two catalogues that are compared are made with zod and with the subset", () => {
		for (const { zods, ours } of SCHEMAS) {
			expect([zods, ours].map((schema) => schema["~standard"].vendor)).toEqual(["zod", "messaging-gateway"]);
		}
	});

	test.each(SCHEMAS)(
		"$title: verdict, value, paths and sentences are zod's",
		async ({ zods, ours, samples }) => {
			await fc.assert(
				fc.asyncProperty(changedValue(samples), async (value) => {
					expect(await resultOf(built.checkShape, ours, value)).toEqual(
						await resultOf(checkShape, zods, value),
					);
				}),
				{ numRuns: cases(200) },
			);
		},
	);

	test.each(SCHEMAS)("$title: valid values are accepted, and not copied", async ({ ours, samples }) => {
		for (const value of samples) {
			const result = await built.checkShape(ours, value);
			expect(result.ok && result.value).toBe(value);
		}
	});

	test.each(PARTS)("%s is as zod's", async (_title, create) => {
		const ours = create(subset);
		const zods = create(FROM_ZOD as typeof subset);
		const compare = async (value: unknown): Promise<void> => {
			expect(await resultOf(built.checkShape, ours, value)).toEqual(await resultOf(checkShape, zods, value));
		};
		for (const value of EDGES) {
			for (const each of [value, [value], { a: value }, { a: value, b: value }]) await compare(each);
		}
		await fc.assert(fc.asyncProperty(anyValue, compare), { numRuns: cases(200) });
	});

	test("a schema is a Standard Schema", () => {
		const { validate } = subset.string()["~standard"];
		expect(validate("a")).toEqual({ value: "a" });
		expect(validate(1)).toEqual({
			issues: [expect.objectContaining({ message: "Invalid input", path: [] })],
		});
	});
});
