import { isJsonObject } from "../../../../library/is-object.ts";
import type { ApiOperation } from "../document/api-document.ts";
import { checkValue } from "./check-value.ts";
import { exampleValue } from "./example-value.ts";
import { createFormModel, type FormField, type FormModel, toFieldKey } from "./form-model.ts";
import { type QueryValue, type RawRequest, type RequestContent, readRequestContent } from "./read-request.ts";

export interface Draft {
	/** Whether the body is entered field by field or as JSON. */
	readonly mode: "form" | "json";
	/** The content of each field, by key. A field without an entry is not sent; `""` and `null` are sent as they are. */
	readonly texts: Readonly<Record<string, string | null>>;
	readonly json: string;
}

/** The request that a form describes, and the problems of its fields. */
export interface DraftReading {
	/** `undefined` if a field cannot be parsed or a path parameter is missing. */
	readonly content: RequestContent | undefined;
	/**
	 * The problem of each field, by key; `body` is the whole body. A request with problems can still be sent, to see
	 * how the gateway responds.
	 */
	readonly problems: Readonly<Record<string, string>>;
}

export const BODY_KEY = "body";

export function readDraft(operation: ApiOperation, { fields }: FormModel, draft: Draft): DraftReading {
	const { parameters, body: bodySchema } = operation;
	const isJson = draft.mode === "json" && bodySchema !== undefined;
	const params: Record<string, string | number> = {};
	const query: Record<string, QueryValue> = {};
	const members: Record<string, unknown> = {};
	const problems: Record<string, string> = {};
	for (const field of fields) {
		if (isJson && field.place === "body") continue;
		const reading = readFormField(field, draft.texts[field.key]);
		if (reading === undefined) continue;
		if ("problem" in reading) problems[field.key] = reading.problem;
		else if (field.place === "path") params[field.name] = toScalar(reading.value);
		else if (field.place === "query") query[field.name] = toQueryValue(reading.value);
		else members[field.name] = reading.value;
	}
	const whole = isJson ? readJson(draft.json) : { value: members };
	if (whole !== undefined && "problem" in whole) problems[BODY_KEY] = whole.problem;
	const isReadable = Object.keys(problems).length === 0;
	// Like the client: without fields there is no body.
	const isEmpty = !isJson && Object.keys(members).length === 0;
	const body = isEmpty || whole === undefined || "problem" in whole ? undefined : whole.value;

	for (const { name, place, isRequired, schema } of parameters) {
		const value = (place === "path" ? params : query)[name];
		const message = value === undefined ? undefined : checkValue(schema, value)[0]?.message;
		const problem = value === undefined && isRequired ? "is required" : message;
		if (problem !== undefined) problems[toFieldKey(place, name)] ??= problem;
	}
	// A body that cannot be parsed is not checked further.
	if (bodySchema !== undefined && !(BODY_KEY in problems)) {
		const mayBeMissing = bodySchema.required.length === 0 && bodySchema.oneOf.length === 0;
		const violations = body === undefined && mayBeMissing ? [] : checkValue(bodySchema, body ?? {});
		for (const { path, message } of violations) {
			const [head = "", ...rest] = path.split(".");
			const hasField = fields.some(({ key }) => key === toFieldKey("body", head));
			const key = hasField ? toFieldKey("body", head) : BODY_KEY;
			problems[key] ??= `${hasField ? rest.join(".") : path} ${message}`.trim();
		}
	}
	const isComplete = fields.every(({ place, name }) => place !== "path" || Object.hasOwn(params, name));
	return { content: isReadable && isComplete ? { params, query, body } : undefined, problems };
}

/** The value of a field, or why it has none; `undefined` if it is not sent. */
type ReadField = { readonly value: unknown } | { readonly problem: string } | undefined;

export function readFormField({ kind, choices }: FormField, text: string | null | undefined): ReadField {
	if (text === undefined) return undefined;
	if (text === null || text === "") return { value: text };
	switch (kind) {
		case "number":
			return /^-?\d+(\.\d+)?$/.test(text.trim()) ? { value: Number(text) } : { problem: "must be a number" };
		case "choice":
			return { value: choices.find((choice) => String(choice) === text) ?? text };
		case "json":
			return readJson(text);
		default:
			return { value: text };
	}
}

function readJson(text: string): ReadField {
	if (text.trim() === "") return undefined;
	try {
		return { value: JSON.parse(text) as unknown };
	} catch (error) {
		return { problem: `must be JSON: ${error instanceof Error ? error.message : "it can't be parsed"}` };
	}
}

function toScalar(value: unknown): string | number {
	return typeof value === "number" ? value : String(value);
}

function toQueryValue(value: unknown): QueryValue {
	if (Array.isArray(value)) return value.map(toScalar);
	if (typeof value === "number" || typeof value === "boolean") return value;
	return typeof value === "string" ? value : JSON.stringify(value);
}

export const EMPTY_DRAFT: Draft = { mode: "form", texts: {}, json: "" };

/** Creates a form with examples in the required fields. Fields without an example, such as ids, stay empty. */
export function createDraft({ body }: ApiOperation, { fields, exclusiveKeys }: FormModel): Draft {
	const texts = fields
		.filter(({ key, isRequired }) => isRequired || key === exclusiveKeys[0])
		.filter(({ kind, schema }) => kind !== "line" || schema.examples.length > 0)
		.map((field) => [field.key, toFieldText(exampleValue(field.schema, field.name))]);
	const json = body === undefined ? "" : toFieldText(exampleValue(body));
	return { ...EMPTY_DRAFT, texts: Object.fromEntries(texts), json };
}

export function toFieldText(value: unknown): string {
	return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

/** Fills the fields of the form from a body. @returns the reason if the form cannot show it. */
export function fillForm(
	draft: Draft,
	{ fields, exclusiveKeys }: FormModel,
	body: unknown,
): Draft | { readonly reason: string } {
	if (!isJsonObject(body)) return { reason: "The form shows only objects, and this body isn't an object." };
	const texts = Object.fromEntries(Object.entries(draft.texts).filter(([key]) => !key.startsWith("body.")));
	for (const [name, value] of Object.entries(body)) {
		const field = fields.find(({ key }) => key === toFieldKey("body", name));
		if (field === undefined) return { reason: `The form has no field ${name}.` };
		if (!fitsField(field, value)) return { reason: `The form can't show this value of ${name}.` };
		texts[field.key] = value === null ? null : toFieldText(value);
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
	const reading = isChanged ? undefined : readFormField(field, toFieldText(value));
	return (
		reading !== undefined && "value" in reading && JSON.stringify(reading.value) === JSON.stringify(value)
	);
}

/** Fills an operation's form with a received request. A body that the form cannot show stays JSON. */
export function draftOfRequest(operation: ApiOperation, request: RawRequest): Draft {
	const { params, query, body } = readRequestContent(operation, request);
	const texts = [
		...Object.entries(params).map(([name, value]) => [toFieldKey("path", name), toFieldText(value)]),
		...Object.entries(query).map(([name, value]) => [toFieldKey("query", name), toFieldText(value)]),
	];
	const draft: Draft = { ...EMPTY_DRAFT, texts: Object.fromEntries(texts), json: request.body };
	if (request.body === "") return draft;
	const filled = fillForm(draft, createFormModel(operation), body);
	return "reason" in filled ? { ...draft, mode: "json" } : filled;
}
