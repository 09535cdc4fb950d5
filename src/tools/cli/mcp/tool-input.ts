import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod/mini";

/** The input of a tool, with the JSON Schema that a model reads. zod/mini does not include it by itself. */
export function toolInput<Schema extends z.ZodMiniType>(
	schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
	const toJson = (io: "input" | "output") => () => ({ ...z.toJSONSchema(schema, { io }) });
	const { validate, vendor, version } = schema["~standard"];
	return {
		"~standard": {
			validate,
			vendor,
			version,
			jsonSchema: { input: toJson("input"), output: toJson("output") },
		},
	};
}

/** A string with a description. */
export function described(text: string): z.ZodMiniString {
	return z.string().check(z.describe(text));
}

/** Fields that every list has. */
export const listFields = {
	search: z.optional(described("Only items with this in an id, a number, a text or a body.")),
	failed: z.optional(z.boolean().check(z.describe("Only what failed."))),
	limit: z.optional(
		z
			.number()
			.check(z.int(), z.minimum(1), z.maximum(100), z.describe("How many of the newest. Default: 20.")),
	),
	before: z.optional(
		z.number().check(z.int(), z.minimum(1), z.describe("Only items before this `sequence`, for older ones.")),
	),
};
