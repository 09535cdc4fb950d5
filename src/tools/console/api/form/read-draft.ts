import type { ApiOperation } from "../document/api-document.ts";
import { checkValue } from "./check-value.ts";
import type { Draft } from "./draft.ts";
import { type FormField, type FormModel, toKey } from "./form-model.ts";

/** The parts of a request, as `gateway.request` accepts them. */
export interface RequestContent {
	readonly params: Readonly<Record<string, string | number>>;
	readonly query: Readonly<Record<string, QueryValue>>;
	/** `undefined` for a request without a body. */
	readonly body: unknown;
}

export type QueryValue = string | number | boolean | readonly (string | number)[];

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

/** The key of problems of the whole body. */
export const BODY_KEY = "body";

type Reading = { readonly value: unknown } | { readonly problem: string } | undefined;

export function readDraft(operation: ApiOperation, model: FormModel, draft: Draft): DraftReading {
	const isJson = draft.mode === "json" && operation.body !== undefined;
	const fields = model.fields.filter(({ place }) => place !== "body" || !isJson);
	const readings = fields.map((field) => ({ field, reading: readField(field, draft) }));
	const body = isJson ? readJson(draft.json) : gatherBody(readings);
	const unreadable = Object.fromEntries(
		[
			...readings.map(({ field, reading }) => [field.key, reading] as const),
			[BODY_KEY, body] as const,
		].flatMap(([key, reading]) =>
			reading !== undefined && "problem" in reading ? [[key, reading.problem]] : [],
		),
	);
	const gaps = readings.filter(({ field, reading }) => field.place === "path" && reading === undefined);
	const values = readings.flatMap(({ field, reading }) =>
		reading !== undefined && "value" in reading ? [{ field, value: reading.value }] : [],
	);
	const content: RequestContent = {
		params: Object.fromEntries(values.flatMap(toParameter)),
		query: Object.fromEntries(values.flatMap(toQuery)),
		body: body !== undefined && "value" in body ? body.value : undefined,
	};
	const violations = {
		...checkParameters(operation, content),
		// A body that cannot be parsed is not checked further.
		...(BODY_KEY in unreadable ? {} : checkBody(operation, model, content.body)),
	};
	return {
		content: gaps.length > 0 || Object.keys(unreadable).length > 0 ? undefined : content,
		problems: { ...violations, ...unreadable },
	};
}

function readField(field: FormField, { texts, empties }: Draft): Reading {
	const text = texts[field.key] ?? "";
	if (text === "") {
		const empty = empties[field.key];
		return empty === undefined || !field.emptyValues.includes(empty) ? undefined : { value: empty };
	}
	switch (field.kind) {
		case "number":
			return /^-?\d+(\.\d+)?$/.test(text.trim()) ? { value: Number(text) } : { problem: "must be a number" };
		case "choice":
			return { value: field.choices.find((choice) => String(choice) === text) ?? text };
		case "json":
			return readJson(text);
		default:
			return { value: text };
	}
}

function readJson(text: string): Reading {
	if (text.trim() === "") return undefined;
	try {
		return { value: JSON.parse(text) as unknown };
	} catch (error) {
		return { problem: `must be JSON: ${error instanceof Error ? error.message : "it cannot be parsed"}` };
	}
}

function gatherBody(readings: readonly { field: FormField; reading: Reading }[]): Reading {
	const members = readings.flatMap(({ field, reading }) =>
		field.place === "body" && reading !== undefined && "value" in reading
			? [[field.name, reading.value]]
			: [],
	);
	// Like the client: without fields there is no body.
	return members.length === 0 ? undefined : { value: Object.fromEntries(members) };
}

function toParameter({ field, value }: { field: FormField; value: unknown }): [string, string | number][] {
	if (field.place !== "path") return [];
	return [[field.name, typeof value === "number" ? value : String(value)]];
}

function toQuery({ field, value }: { field: FormField; value: unknown }): [string, QueryValue][] {
	if (field.place !== "query") return [];
	if (typeof value === "number" || typeof value === "boolean") return [[field.name, value]];
	if (Array.isArray(value))
		return [[field.name, value.map((item) => (typeof item === "number" ? item : String(item)))]];
	return [[field.name, typeof value === "string" ? value : JSON.stringify(value)]];
}

function checkParameters({ parameters }: ApiOperation, content: RequestContent): Record<string, string> {
	const problems: Record<string, string> = {};
	for (const { name, place, isRequired, schema } of parameters) {
		const values: Readonly<Record<string, unknown>> = place === "path" ? content.params : content.query;
		const violations = Object.hasOwn(values, name) ? checkValue(schema, values[name]) : [];
		const message = isRequired && !Object.hasOwn(values, name) ? "is required" : violations[0]?.message;
		if (message !== undefined) problems[toKey(place, name)] = message;
	}
	return problems;
}

function checkBody({ body }: ApiOperation, { fields }: FormModel, value: unknown): Record<string, string> {
	if (body === undefined) return {};
	const isOptional = body.required.length === 0 && body.oneOf.length === 0;
	if (value === undefined && isOptional) return {};
	const problems: Record<string, string> = {};
	for (const { path, message } of checkValue(body, value ?? {})) {
		const [head = "", ...rest] = path.split(".");
		const hasField = fields.some(({ key }) => key === toKey("body", head));
		const key = hasField ? toKey("body", head) : BODY_KEY;
		const where = hasField ? rest.join(".") : path;
		problems[key] ??= `${where} ${message}`.trim();
	}
	return problems;
}
