import { checkShape } from "../../library/catalogue/check.ts";
import type { Schema } from "../../library/catalogue/schema.ts";
import { ControlRejection } from "./control-rejection.ts";

/** The code of an input that is invalid. */
export type InvalidInput = "invalid_query" | "invalid_action";

/**
 * Checks the input of an operation.
 * @throws ControlRejection that names the invalid fields.
 */
export async function checkInput<Input>(
	schema: Schema<Input>,
	value: unknown,
	code: InvalidInput,
): Promise<Input> {
	const checked = await checkShape(schema, value, "input");
	if (checked.ok) return checked.value;
	const issues = checked.issues.map(({ path, message }) => `${path === "" ? "It" : path} ${message}`);
	throw new ControlRejection(code, `${issues.join("; ")}.`);
}
