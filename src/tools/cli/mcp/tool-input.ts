import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { KINDS } from "../local/items.ts";

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

/** An integer with a description. */
function integer(text: string): z.ZodMiniNumber {
	return z.number().check(z.int(), z.minimum(0), z.describe(text));
}

/** What selects items, in a list and in a wait. */
export const FILTER = {
	search: z.optional(described("Only with this in an id, a number, a text or a body.")),
	failed: z.optional(z.boolean().check(z.describe("Only what failed."))),
	after: z.optional(integer("Only what is newer: `after` of an earlier result.")),
};

/** The fields of a list. */
export const LIST = {
	...FILTER,
	conversation: z.optional(described("Only of this contact's number or group's id.")),
	limit: z.optional(
		z
			.number()
			.check(z.int(), z.minimum(1), z.maximum(100), z.describe("How many of the newest. Default: 20.")),
	),
	before: z.optional(integer("Only what is older: `older.before` of a list.")),
};

/** The kinds of items. */
export const kind = z.enum(KINDS);
