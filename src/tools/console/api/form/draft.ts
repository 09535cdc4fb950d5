import { isObject } from "../../parts/json-value.ts";
import type { ApiOperation } from "../document/api-document.ts";
import { exampleValue } from "./example-value.ts";
import { createFormModel, type FormField, type FormModel, toKey } from "./form-model.ts";
import { type Draft, readField } from "./read-draft.ts";
import { type ReceivedRequest, readRequest } from "./read-request.ts";

export const EMPTY_DRAFT: Draft = { mode: "form", texts: {}, json: "" };

/** Creates a form with examples in the required fields. Fields without an example, such as ids, stay empty. */
export function createDraft({ body }: ApiOperation, { fields, exclusiveKeys }: FormModel): Draft {
	const texts = fields
		.filter(({ key, isRequired }) => isRequired || key === exclusiveKeys[0])
		.filter(({ kind, schema }) => kind !== "line" || schema.examples.length > 0)
		.map((field) => [field.key, toText(exampleValue(field.schema, field.name))]);
	const json = body === undefined ? "" : toText(exampleValue(body));
	return { ...EMPTY_DRAFT, texts: Object.fromEntries(texts), json };
}

/** Formats a value for a field. */
export function toText(value: unknown): string {
	return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

/** Fills the fields of the form from a body. @returns the reason if the form cannot show it. */
export function fillForm(
	draft: Draft,
	{ fields, exclusiveKeys }: FormModel,
	body: unknown,
): Draft | { readonly reason: string } {
	if (!isObject(body)) return { reason: "The form shows only objects, and this body is not an object." };
	const texts = Object.fromEntries(Object.entries(draft.texts).filter(([key]) => !key.startsWith("body.")));
	for (const [name, value] of Object.entries(body)) {
		const field = fields.find(({ key }) => key === toKey("body", name));
		if (field === undefined) return { reason: `The form has no field ${name}.` };
		if (!fitsField(field, value)) return { reason: `The form cannot show this value of ${name}.` };
		texts[field.key] = value === null ? null : toText(value);
	}
	if (exclusiveKeys.filter((key) => key in texts).length > 1) {
		return { reason: `The form accepts only one of ${exclusiveKeys.map((key) => key.slice(5)).join(", ")}.` };
	}
	return { ...draft, mode: "form", texts };
}

/** Whether the field, when read back, gives the same value. */
function fitsField(field: FormField, value: unknown): boolean {
	if (value === "" || value === null) return field.emptyValues.includes(value);
	// A text area changes CR into LF, and a single-line field removes both.
	const isChanged = typeof value === "string" && (field.kind === "line" ? /[\r\n]/ : /\r/).test(value);
	const reading = isChanged ? undefined : readField(field, toText(value));
	return (
		reading !== undefined && "value" in reading && JSON.stringify(reading.value) === JSON.stringify(value)
	);
}

/** Fills an operation's form with a received request. A body that the form cannot show stays JSON. */
export function draftOfRequest(operation: ApiOperation, request: ReceivedRequest): Draft {
	const { params, query, body } = readRequest(operation, request);
	const texts = [
		...Object.entries(params).map(([name, value]) => [toKey("path", name), toText(value)]),
		...Object.entries(query).map(([name, value]) => [toKey("query", name), toText(value)]),
	];
	const draft: Draft = { ...EMPTY_DRAFT, texts: Object.fromEntries(texts), json: request.body };
	if (request.body === "") return draft;
	const filled = fillForm(draft, createFormModel(operation), body);
	return "reason" in filled ? { ...draft, mode: "json" } : filled;
}
