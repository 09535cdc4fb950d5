import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../src/catalogue/events.ts";
import { surelyFits } from "../../../src/catalogue/guard.ts";
import * as payloads from "../../support/webhook-payloads.ts";

const PARTS: [title: string, schema: z.ZodMiniType][] = [
	["a text", z.string()],
	["a text with a check", z.string().check(z.minLength(3))],
	["a text of a format", z.uuid()],
	["a number", z.number()],
	["a whole number", z.int()],
	["a boolean", z.boolean()],
	["a literal", z.literal(["a", 1])],
	["an enum", z.enum(["a", "b"])],
	["nullable", z.nullable(z.string())],
	["a union", z.union([z.string(), z.boolean()])],
	["an array", z.array(z.number())],
	["an array with a check", z.array(z.number()).check(z.minLength(1))],
	["any record", z.record(z.string(), z.unknown())],
	["a record of numbers", z.record(z.string(), z.number())],
	["an object", z.object({ a: z.string(), b: z.exactOptional(z.number()) })],
	["a loose object", z.looseObject({ a: z.optional(z.string()), b: z.nullable(z.number()) })],
	["a strict object", z.strictObject({ a: z.string() })],
	["an object with anything in it", z.object({ a: z.unknown() })],
	["an object in an array in an object", z.object({ a: z.array(z.object({ b: z.literal("x") })) })],
];

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
		fc.array(tie("any"), { maxLength: 3 }),
		fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), tie("any"), { maxKeys: 3 }),
	),
})).any;

test.each(PARTS)("%s: what is said to fit, fits", (_title, schema) => {
	fc.assert(
		fc.property(value, (drawn) => {
			if (surelyFits(schema, drawn))
				expect(z.safeParse(schema, drawn)).toEqual({ success: true, data: drawn });
		}),
		{ numRuns: 2_000 },
	);
});

test.each([
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
