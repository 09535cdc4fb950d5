import type { ApiOperation } from "../document/api-document.ts";
import type { JsonSchema } from "../document/read-schema.ts";
import { checkValue, requiredNames } from "./check-value.ts";
import { LONG_TEXT_LENGTH } from "./example-value.ts";

/** The part of the request that a field belongs to. */
export type Place = "path" | "query" | "body";

/** The control of a field. */
export type FieldKind = "line" | "text" | "number" | "choice" | "json";

/** One field of an operation's form. */
export interface FormField {
	/** Place and name, since the path and the body may have fields of the same name. */
	readonly key: string;
	readonly name: string;
	readonly place: Place;
	readonly kind: FieldKind;
	readonly isRequired: boolean;
	readonly description: string | undefined;
	readonly schema: JsonSchema;
	/** The accepted values, if they are listed. */
	readonly choices: readonly unknown[];
	/** Known values of a field that also accepts others. */
	readonly suggestions: readonly string[];
	/** The values that can be sent for an empty field. */
	readonly emptyValues: readonly ("" | null)[];
}

export interface FormModel {
	readonly fields: readonly FormField[];
	/** The keys of body fields of which exactly one must be given; empty without this rule. */
	readonly exclusiveKeys: readonly string[];
}

/** Creates the form of an operation from its parameters and the schema of its body. */
export function createFormModel({ parameters, body }: ApiOperation): FormModel {
	const fields = [
		...parameters.map(({ name, place, isRequired, description, schema }) =>
			createField(name, place, isRequired, { ...schema, description: description ?? schema.description }),
		),
		...Object.entries(body?.properties ?? {}).map(([name, schema]) =>
			createField(name, "body", body?.required.includes(name) === true, schema),
		),
	];
	const exclusive = requiredNames(body?.oneOf ?? []) ?? [];
	return {
		fields: sortFields(fields, exclusive),
		exclusiveKeys: exclusive.map((name) => toKey("body", name)),
	};
}

export function toKey(place: Place, name: string): string {
	return `${place}.${name}`;
}

function createField(name: string, place: Place, isRequired: boolean, schema: JsonSchema): FormField {
	return {
		key: toKey(place, name),
		name,
		place,
		kind: kindOf(schema),
		isRequired,
		description: schema.description,
		schema,
		choices: schema.types.includes("boolean") ? [true, false] : (schema.choices ?? []),
		suggestions: schema.examples.length > 1 ? schema.examples.map(String) : [],
		emptyValues: place === "body" ? listEmptyValues(schema) : [],
	};
}

/** Offers the empty string only if a pattern of the schema explicitly accepts it. */
function listEmptyValues(schema: JsonSchema): readonly ("" | null)[] {
	const parts = [schema, ...schema.anyOf];
	const acceptsEmptyString =
		parts.some(({ pattern }) => pattern !== undefined) && checkValue(schema, "").length === 0;
	const acceptsNull = parts.some(({ types }) => types.includes("null"));
	return [...(acceptsEmptyString ? ([""] as const) : []), ...(acceptsNull ? [null] : [])];
}

function kindOf(schema: JsonSchema): FieldKind {
	if (schema.choices !== undefined) return "choice";
	const types = typesOf(schema).filter((type) => type !== "null");
	const [type] = types;
	if (types.length !== 1) return "json";
	if (type === "boolean") return "choice";
	if (type === "number" || type === "integer") return "number";
	if (type !== "string") return "json";
	return (schema.maximum ?? 0) >= LONG_TEXT_LENGTH ? "text" : "line";
}

/** The accepted types, including those of the alternatives. */
function typesOf({ types, anyOf }: JsonSchema): readonly string[] {
	return types.length > 0 ? types : [...new Set(anyOf.flatMap(typesOf))];
}

/** Sorts required fields first, and keeps exclusive fields together. */
function sortFields(fields: readonly FormField[], exclusive: readonly string[]): FormField[] {
	const rank = ({ place, name, isRequired }: FormField): number => {
		if (place !== "body") return place === "path" ? 0 : 1;
		if (exclusive.includes(name)) return 2;
		return isRequired ? 3 : 4;
	};
	return fields.toSorted((left, right) => rank(left) - rank(right));
}
