import { isObject } from "../../parts/json-value.ts";
import { type Draft, toText } from "./draft.ts";
import { type FormField, type FormModel, toKey } from "./form-model.ts";

/** Fills the fields of the form from a body. @returns the reason if the form cannot show it. */
export function fillForm(
	draft: Draft,
	{ fields, exclusiveKeys }: FormModel,
	body: unknown,
): Draft | { readonly reason: string } {
	if (!isObject(body)) return { reason: "The form shows only objects, and this body is not an object." };
	const byKey = new Map(fields.map((field) => [field.key, field]));
	const unknown = Object.keys(body).find((name) => !byKey.has(toKey("body", name)));
	if (unknown !== undefined) return { reason: `The form has no field ${unknown}.` };
	const others = Object.entries(draft.texts).filter(([key]) => !key.startsWith("body."));
	const given = Object.entries(body).map(([name, value]) => [toKey("body", name), value] as const);
	if (given.filter(([key]) => exclusiveKeys.includes(key)).length > 1) {
		return { reason: `The form accepts only one of ${exclusiveKeys.map((key) => key.slice(5)).join(", ")}.` };
	}
	const misplaced = given.find(([key, value]) => !fitsField(byKey.get(key), value));
	if (misplaced !== undefined)
		return { reason: `The form cannot show this value of ${misplaced[0].slice(5)}.` };
	return {
		...draft,
		mode: "form",
		texts: Object.fromEntries([...others, ...given.filter(([, value]) => !isEmpty(value)).map(toEntry)]),
		empties: Object.fromEntries(given.flatMap(([key, value]) => (isEmpty(value) ? [[key, value]] : []))),
	};
}

function toEntry([key, value]: readonly [string, unknown]): [string, string] {
	return [key, toText(value)];
}

function isEmpty(value: unknown): value is "" | null {
	return value === "" || value === null;
}

/** Whether the field, when read back, gives the same value. */
function fitsField(field: FormField | undefined, value: unknown): boolean {
	if (field === undefined) return false;
	if (isEmpty(value)) return field.emptyValues.includes(value);
	switch (field.kind) {
		case "line":
			// A single-line field removes line ends.
			return typeof value === "string" && !/[\r\n]/.test(value);
		case "text":
			return typeof value === "string" && !value.includes("\r");
		case "number":
			return typeof value === "number";
		case "choice":
			return field.choices.includes(value);
		case "json":
			return true;
	}
}
