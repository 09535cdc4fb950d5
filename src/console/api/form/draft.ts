import type { ApiOperation } from "../document/api-document.ts";
import { exampleValue, LONG_TEXT_LENGTH } from "./example-value.ts";
import type { FormField, FormModel } from "./form-model.ts";

/** What stands in an operation's form. */
export interface Draft {
	/** Whether the body is filled in field by field, or written as JSON. */
	readonly mode: "form" | "json";
	/** The text of each field, by key; an empty one is left out. */
	readonly texts: Readonly<Record<string, string>>;
	/** What an empty field stands for, where it is not left out. */
	readonly empties: Readonly<Record<string, "" | null>>;
	/** The body as JSON. */
	readonly json: string;
}

/** A form with nothing in it. */
export const EMPTY_DRAFT: Draft = { mode: "form", texts: {}, empties: {}, json: "" };

/** A form with what the document can tell of the fields that must be there: an id that only the gateway knows stays empty. */
export function createDraft({ body }: ApiOperation, { fields, exclusiveKeys }: FormModel): Draft {
	const texts = fields
		.filter(({ key, isRequired }) => isRequired || key === exclusiveKeys[0])
		.filter(isTold)
		.map((field) => [field.key, toText(exampleValue(field.schema, field.name))]);
	const json = body === undefined ? "" : toText(exampleValue(body));
	return { ...EMPTY_DRAFT, texts: Object.fromEntries(texts), json };
}

function isTold({ kind, schema }: FormField): boolean {
	if (kind !== "line") return true;
	return schema.examples.length > 0 || (schema.maximum ?? 0) >= LONG_TEXT_LENGTH;
}

/** A value as it stands in a field. */
export function toText(value: unknown): string {
	return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}
