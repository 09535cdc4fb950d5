import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../src/catalogue/events.ts";
import { surelyFits } from "../../../src/catalogue/guard.ts";
import { cases } from "../../support/cases.ts";
import * as payloads from "../../support/webhook-payloads.ts";

const name = z.string();
const isNoText = (drawn: unknown): boolean => typeof drawn !== "string";
const folder = z.looseObject({
	a: z.string(),
	get b() {
		return z.optional(folder);
	},
});

const PARTS: [title: string, schema: z.ZodMiniType][] = [
	["a text", z.string()],
	["a text with a check", z.string().check(z.minLength(3))],
	["a text of a format", z.uuid()],
	["a text that is trimmed", z.string().check(z.trim())],
	["a text in lower case", z.string().check(z.toLowerCase())],
	["a text that is overwritten", z.string().check(z.overwrite((text) => `${text}!`))],
	["a text with a condition", z.string().check(z.refine((text) => text !== "a"))],
	[
		"a text with conditions",
		z.string().check(z.superRefine((text, context) => void (text === "a" && context.addIssue("no")))),
	],
	["a text of any value", z.coerce.string()],
	["a number", z.number()],
	["a number of any value", z.coerce.number()],
	["an integer", z.int()],
	["a big number", z.bigint()],
	["a date", z.date()],
	["a boolean", z.boolean()],
	["a boolean of any value", z.coerce.boolean()],
	["a literal", z.literal(["a", 1])],
	["the literal undefined", z.literal([undefined, null])],
	["an enum", z.enum(["a", "b"])],
	["anything with a condition", z.unknown().check(z.refine(isNoText))],
	["nullable", z.nullable(z.string())],
	["nullable with a condition", z.nullable(name).check(z.refine(isNoText))],
	["a default", z._default(z.string(), "d")],
	[
		"what a text becomes",
		z.pipe(
			z.string(),
			z.transform((text) => text.length),
		),
	],
	["what anything becomes", z.transform((drawn) => [drawn])],
	["read only", z.readonly(z.array(z.string()))],
	["not optional", z.nonoptional(z.optional(z.string()))],
	["a union", z.union([z.string(), z.boolean()])],
	["a union with a record", z.union([z.string(), z.record(z.string(), z.unknown())])],
	["a union whose first member changes the value", z.union([z.string().check(z.toUpperCase()), z.string()])],
	[
		"a union whose first member is part of the second",
		z.union([z.object({ a: name }), z.looseObject({ a: name })]),
	],
	["a union with a record and anything", z.union([z.record(z.string(), z.unknown()), z.unknown()])],
	["a union of nothing", z.union([])],
	["one or the other", z.xor([z.string(), z.literal("a")])],
	["an array", z.array(z.number())],
	["an array of anything", z.array(z.unknown())],
	["an array with a check", z.array(z.number()).check(z.minLength(1))],
	["a tuple", z.tuple([z.string(), z.number()])],
	["a tuple with a rest", z.tuple([z.string()], z.number())],
	["any record", z.record(z.string(), z.unknown())],
	["a record of numbers", z.record(z.string(), z.number())],
	["a record of some keys", z.partialRecord(z.enum(["a", "b"]), z.unknown())],
	["a record whose keys change", z.record(z.string().check(z.toUpperCase()), z.unknown())],
	["a record of anything with a condition", z.record(z.string(), z.unknown().check(z.refine(isNoText)))],
	["an object", z.object({ a: z.string(), b: z.exactOptional(z.number()) })],
	["a loose object", z.looseObject({ a: z.optional(z.string()), b: z.nullable(z.number()) })],
	[
		"a loose object with a condition",
		z.looseObject({}).check(z.refine((drawn) => Object.keys(drawn).length > 1)),
	],
	["a strict object", z.strictObject({ a: z.string() })],
	["an object with more texts", z.catchall(z.object({ a: z.string() }), z.string())],
	[
		"an object with more of anything with a condition",
		z.catchall(z.object({}), z.unknown().check(z.refine(isNoText))),
	],
	["an object with anything in it", z.object({ a: z.unknown() })],
	["an object that holds itself", folder],
	["an object whose field every object has", z.looseObject({ constructor: z.unknown() })],
	["an object with a symbol", z.looseObject({ [Symbol.iterator]: z.string() })],
	["an object in an array in an object", z.object({ a: z.array(z.object({ b: z.literal("x") })) })],
	...inObject({
		unknown: z.unknown(),
		"the literal undefined": z.literal([undefined, "a"]),
		optional: z.optional(name),
		"exactly optional": z.exactOptional(name),
		"optional or null": z.nullish(name),
		"null or optional": z.nullable(z.optional(name)),
		"not optional": z.nonoptional(z.optional(name)),
		"read only and optional": z.readonly(z.optional(name)),
		"a union with an optional": z.union([z.optional(name), z.number()]),
		"a default": z._default(name, "d"),
		"an optional default": z.optional(z._default(name, "d")),
		"an exactly optional default": z.exactOptional(z._default(name, "d")),
		"a default or null": z.nullable(z._default(name, "d")),
		"a read-only default": z.readonly(z._default(name, "d")),
		"a pipe of a default": z.pipe(z._default(name, "d"), name),
		"a default that is checked": z.prefault(name, "d"),
		"an optional default that is checked": z.optional(z.prefault(name, "d")),
		"a catch": z.catch(name, "d"),
		"an optional catch": z.optional(z.catch(name, "d")),
		"an exactly optional catch": z.exactOptional(z.catch(name, "d")),
		"a transform": z.transform((drawn) => drawn ?? "d"),
		"an optional transform": z.optional(z.transform((drawn) => drawn ?? "d")),
		"a pipe of a transform": z.pipe(
			z.transform((drawn) => drawn ?? "d"),
			name,
		),
		"an optional trimmed text": z.optional(name.check(z.trim())),
		"an optional with a condition": z.optional(name).check(z.refine((drawn) => drawn !== undefined)),
	}),
];

/** What a field makes of an absent key shows only within an object. */
function inObject(fields: Record<string, z.ZodMiniType>): [title: string, schema: z.ZodMiniType][] {
	return Object.entries(fields).map(([title, schema]) => [
		`an object with ${title}`,
		z.looseObject({ a: schema }),
	]);
}

const value = fc.letrec((tie) => ({
	any: fc.oneof(
		{ maxDepth: 4 },
		fc.constantFrom(
			"a",
			"b",
			"x",
			"",
			0,
			1,
			1.5,
			Number.NaN,
			Number.POSITIVE_INFINITY,
			true,
			null,
			undefined,
		),
		fc.constantFrom("0b9f1c7e-8a39-4e4b-9d4c-1a2b3c4d5e6f", new Date(0), new Map(), () => "a"),
		fc.constantFrom(" a ", "A", 1n, new Array(1)),
		fc.array(tie("any"), { maxLength: 3 }),
		fc.record({ a: tie("any") }, { requiredKeys: [] }),
		fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), tie("any"), { maxKeys: 3 }),
	),
})).any;

test.each(PARTS)("%s: a value that passes is valid", (_title, schema) => {
	fc.assert(
		fc.property(value, (drawn) => {
			if (surelyFits(schema, drawn))
				expect(z.safeParse(schema, drawn)).toEqual({ success: true, data: drawn });
		}),
		{ numRuns: cases(2_000) },
	);
});

test.each<[title: string, schema: z.ZodMiniType, payload: object]>([
	["an inbound message", inboundMessage, payloads.inboundMessage],
	["an inbound reaction", inboundReaction, payloads.inboundReaction],
	["a status update", statusUpdate, payloads.statusUpdate],
	[
		"an inbound message with attachments",
		inboundMessage,
		{ ...payloads.inboundMessage, attachments: [{ url: "x" }] },
	],
	["a status update with an error", statusUpdate, { ...payloads.statusUpdate, error: { code: 1 } }],
])("%s surely fits, and not without any of its fields", (_title, schema, payload) => {
	expect(surelyFits(schema, payload)).toBe(true);
	for (const field of Object.keys(payload)) {
		expect(surelyFits(schema, { ...payload, [field]: undefined })).toBe(false);
	}
});
