import type { ApiOperation } from "../document/api-document.ts";
import { exampleValue, LONG_TEXT_LENGTH } from "./example-value.ts";
import type { FormField, FormModel } from "./form-model.ts";

/** The content of an operation's form. */
export interface Draft {
	/** Whether the body is entered field by field or as JSON. */
	readonly mode: "form" | "json";
	/** The content of each field, by key; empty fields are not sent. */
	readonly texts: Readonly<Record<string, string>>;
	/** The values to send for empty fields. */
	readonly empties: Readonly<Record<string, "" | null>>;
	/** The body as JSON. */
	readonly json: string;
}

export const EMPTY_DRAFT: Draft = { mode: "form", texts: {}, empties: {}, json: "" };

/** Creates a form with examples in the required fields. Fields without an example, such as ids, stay empty. */
export function createDraft({ body }: ApiOperation, { fields, exclusiveKeys }: FormModel): Draft {
	const texts = fields
		.filter(({ key, isRequired }) => isRequired || key === exclusiveKeys[0])
		.filter(hasExample)
		.map((field) => [field.key, toText(exampleValue(field.schema, field.name))]);
	const json = body === undefined ? "" : toText(exampleValue(body));
	return { ...EMPTY_DRAFT, texts: Object.fromEntries(texts), json };
}

function hasExample({ kind, schema }: FormField): boolean {
	if (kind !== "line") return true;
	return schema.examples.length > 0 || (schema.maximum ?? 0) >= LONG_TEXT_LENGTH;
}

/** Formats a value for a field. */
export function toText(value: unknown): string {
	return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}
