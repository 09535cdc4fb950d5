import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod/mini";
import { type OpenEnum, openEnum, schemaOf } from "../../src/library/catalogue/schema.ts";

interface Shown {
	id: string;
	note?: string;
	end: number | null;
	state: OpenEnum<"on" | "off">;
	items: { name: string; size?: number }[];
}

const item = z.looseObject({ name: z.string(), size: z.exactOptional(z.number()) });
const fields = {
	id: z.string(),
	note: z.exactOptional(z.string()),
	end: z.nullable(z.number()),
	state: openEnum(["on", "off"]),
	items: z.array(item),
};

describe("schemaOf", () => {
	test("accepts a schema with the interface's fields, loose or strict", () => {
		expectTypeOf(schemaOf<Shown>("Shown")(z.looseObject(fields))).toEqualTypeOf<z.ZodMiniType<Shown>>();
		expectTypeOf(schemaOf<Shown>("Shown")(z.strictObject(fields))).toEqualTypeOf<z.ZodMiniType<Shown>>();
		expectTypeOf(schemaOf<Shown>("Shown")(z.looseObject(fields).check(z.refine(() => true)))).toEqualTypeOf<
			z.ZodMiniType<Shown>
		>();
	});

	test("rejects a forgotten field, required or optional", () => {
		const { id: _id, ...withoutId } = fields;
		const { note: _note, ...withoutNote } = fields;
		// @ts-expect-error id is forgotten
		schemaOf<Shown>("Shown")(z.looseObject(withoutId));
		// @ts-expect-error note is forgotten, which `satisfies` would not see
		schemaOf<Shown>("Shown")(z.looseObject(withoutNote));
	});

	test("rejects an extra field, required or optional", () => {
		// @ts-expect-error more is not in the interface
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, more: z.string() }));
		// @ts-expect-error an optional one is not known either
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, more: z.exactOptional(z.string()) }));
	});

	test("rejects null where the interface has none, and the reverse", () => {
		// @ts-expect-error id must not be null
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, id: z.nullable(z.string()) }));
		// @ts-expect-error end may be null
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, end: z.number() }));
	});

	test("rejects another optionality", () => {
		// @ts-expect-error note may be absent
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, note: z.string() }));
		// @ts-expect-error id may not be absent
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, id: z.exactOptional(z.string()) }));
		// @ts-expect-error absent is not the same as undefined
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, note: z.optional(z.string()) }));
	});

	test("rejects another type, at any depth", () => {
		// @ts-expect-error id is a string
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, id: z.number() }));
		// @ts-expect-error the enumeration is another
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, state: openEnum(["on"]) }));
		// @ts-expect-error the enumeration is open
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, state: z.enum(["on", "off"]) }));
		const items = z.array(z.looseObject({ name: z.string() }));
		// @ts-expect-error the items have a size
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, items }));
		// @ts-expect-error the items are a list
		schemaOf<Shown>("Shown")(z.looseObject({ ...fields, items: item }));
	});
});
