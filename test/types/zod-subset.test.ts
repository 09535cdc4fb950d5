import { describe, expectTypeOf, test } from "vitest";
import * as z from "../../src/library/catalogue/zod-subset/index.ts";

/** Never called: it only has to compile, or not. */
function compiles(_code: () => unknown): void {}

describe("the subset of zod", () => {
	test("infers what zod infers", () => {
		const schema = z.strictObject({
			a: z.array(z.nullable(z.int())),
			b: z.optional(z.enum(["x", "y"])),
			c: z.exactOptional(z.union([z.literal(1), z.record(z.string(), z.boolean())])),
			d: z.readonly(z.array(z.looseObject({ e: z.unknown() }))),
			f: z.tuple([z.string(), z.object({ g: z.number() })]),
			h: z.discriminatedUnion("kind", [
				z.object({ kind: z.literal("i"), j: z.string() }),
				z.object({ kind: z.literal("k") }),
			]),
		});
		expectTypeOf<z.output<typeof schema>>().branded.toEqualTypeOf<{
			a: (number | null)[];
			b?: "x" | "y" | undefined;
			c?: 1 | Record<string, boolean>;
			d: readonly { e: unknown }[];
			f: [string, { g: number }];
			h: { kind: "i"; j: string } | { kind: "k" };
		}>();
	});

	test("does not compile with an argument that it would ignore", () => {
		// @ts-expect-error a message
		compiles(() => z.string("must be a string"));
		// @ts-expect-error a message
		compiles(() => z.strictObject({}, "must be an object"));
		// @ts-expect-error a message
		compiles(() => z.array(z.string(), "must be an array"));
		// @ts-expect-error several values
		compiles(() => z.literal(["a", "b"]));
		// @ts-expect-error the names of an object
		compiles(() => z.enum({ a: "a" }));
		// @ts-expect-error keys of a known set
		compiles(() => z.record(z.enum(["a"]), z.unknown()));
		// @ts-expect-error keys with a check
		compiles(() => z.record(z.string().check(z.minLength(1)), z.unknown()));
		// @ts-expect-error a condition that waits for something
		compiles(() => z.refine(async () => true, "no"));
		// @ts-expect-error another name of `error`
		compiles(() => z.refine(() => true, { message: "no" }));
		// @ts-expect-error a check is not aborted
		compiles(() => z.minLength(1, { error: "no", abort: true }));
		// @ts-expect-error a place for anything but notes
		compiles(() => z.string().register(z.registry<{ id: string }>(), { name: "a" }));
	});

	test("does not compile where it lacks zod's behaviour", () => {
		// @ts-expect-error a field that may be absent, outside of an object
		compiles(() => z.nullable(z.optional(z.string())));
		// @ts-expect-error the same in a list
		compiles(() => z.array(z.optional(z.string())));
		// @ts-expect-error the rest of a tuple
		compiles(() => z.tuple([z.string()], z.string()));
		// @ts-expect-error a union of one
		compiles(() => z.union([z.string()]));
		// @ts-expect-error a check of another type
		compiles(() => z.string().check(z.minimum(1)));
		// @ts-expect-error a method
		compiles(() => z.string().parse("a"));
		// @ts-expect-error a schema
		compiles(() => z.literal(null));
		// @ts-expect-error a function
		compiles(() => z.intersection(z.string(), z.string()));
	});
});
