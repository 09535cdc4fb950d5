import { checkShape } from "../../library/catalogue/check.ts";
import { allowsHandles } from "../../library/catalogue/handle.ts";
import type { Profile } from "../../library/catalogue/profile.ts";
import type { Schema } from "../../library/catalogue/schema.ts";
import { ControlRejection } from "./control-rejection.ts";

/** The code of an input that is invalid. */
export type InvalidInput = "invalid_query" | "invalid_action";

/**
 * Checks the input of an operation.
 * @param profile - which other handles a contact may have.
 * @throws ControlRejection that names the invalid fields.
 */
export async function checkInput<Input>(
	schema: Schema<Input>,
	value: unknown,
	code: InvalidInput,
	profile?: Profile,
): Promise<Input> {
	const checked = await checkShape(schema, value, "input", {}, allowsHandles(profile));
	if (checked.ok) return checked.value;
	const issues = checked.issues.map(({ path, message }) => `${path === "" ? "It" : path} ${message}`);
	throw new ControlRejection(code, `${issues.join("; ")}.`);
}
