import { type Checked, checkForeignShape, checkShape } from "../catalogue/check.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { Schema } from "../catalogue/schema.ts";

/** Checks the input or the data of an operation. Never rejects, even if a user's schema throws. */
export async function checkOf<Value>(
	{ provenance }: Pick<Operation<unknown, unknown>, "provenance">,
	schema: Schema<Value>,
	value: unknown,
	side: "input" | "data",
): Promise<Checked<Value>> {
	try {
		return await (provenance === "custom" ? checkForeignShape : checkShape)(schema, value);
	} catch {
		const issues = [{ path: "", message: `made the operation's ${side} schema throw` }];
		return { ok: false, issues, schemaIssues: issues };
	}
}
