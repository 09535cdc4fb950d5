import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { checkShape } from "../../../../src/library/catalogue/check.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

/** A schema as a user makes it, with what the subset of zod lacks, and a value. */
type Check = readonly [schema: z.ZodMiniType, value: unknown];

const check = ([schema, value]: Check) => checkShape(schema, value, "data", { provenance: "custom" });
const item = z.object({ name: z.string() });
const refined = (schema: z.ZodMiniType, path: PropertyKey[]) => schema.check(z.refine(() => false, { path }));

const PATHS: Outcomes<Check> = {
	"2.name must be a string": {
		"a further item of a tuple": [z.tuple([z.string()], item), ["x", { name: "x" }, { name: 1 }]],
	},
	"name must be a string": {
		"a field of one side of an intersection": [
			z.intersection(item, z.object({ b: z.string() })),
			{ name: 1, b: "x" },
		],
		"a field before a transformation": [z.pipe(item, z.transform(String)), { name: 1 }],
	},
	"* must be a string": {
		"a field that a catchall is for": [z.catchall(z.object({}), z.string()), { secret: 1 }],
	},
	"a.* is invalid": {
		"a path that a refinement makes up": [
			refined(z.object({ a: z.array(z.string()) }), ["a", "secret"]),
			{ a: [] },
		],
	},
	"*.* is invalid": {
		"a path that a refinement makes up of inherited names": [
			refined(z.object({}), ["constructor", "name"]),
			{},
		],
	},
	"* is invalid": {
		"an inherited name that a refinement makes up": [refined(z.object({}), ["toString"]), {}],
	},
};

testOutcomes(PATHS, async (row) => {
	const checked = await check(row);
	return checked.ok ? "valid" : checked.issues.map(({ path, message }) => `${path} ${message}`).join("; ");
});

describe("zod's settings of the host application", () => {
	test("put no value into a message", async () => {
		z.config({ customError: (issue) => `must not be ${String(issue.input)}` });
		try {
			const issues = [{ path: "", message: "must be a string" }];
			expect(await checkShape(z.string(), 424242)).toEqual({ ok: false, issues, schemaIssues: issues });
			const choice = [{ path: "", message: "must be 1" }];
			expect(await checkShape(z.literal(1), 424242)).toMatchObject({ issues: choice });
			expect(await check([z.literal(1), 424242])).toMatchObject({ issues: choice });
			const odd = [{ path: "", message: "is invalid" }];
			const never = z.string().check(z.regex(/^$/));
			expect(await checkShape(never, "424242")).toMatchObject({ issues: odd });
			expect(await check([never, "424242"])).toMatchObject({ issues: odd });
		} finally {
			z.config({ customError: undefined });
		}
	});
});
