import type { ApiOperation } from "../document/api-document.ts";
import type { JsonSchema } from "../document/read-schema.ts";
import { checkValue, requiredNames } from "./check-value.ts";
import { LONG_TEXT_LENGTH } from "./example-value.ts";

/** Where a field's value goes. */
export type Place = "path" | "query" | "body";

/** How a field is filled in. */
export type FieldKind = "line" | "text" | "number" | "choice" | "json";

/** One field of an operation's form. */
export interface FormField {
	/** Place and name: a path and a body may have fields of one name. */
	readonly key: string;
	readonly name: string;
	readonly place: Place;
	readonly kind: FieldKind;
	readonly isRequired: boolean;
	readonly description: string | undefined;
	readonly schema: JsonSchema;
	/** The values that fit, where they are listed. */
	readonly choices: readonly unknown[];
	/** Known values of a field that takes others, too. */
	readonly suggestions: readonly string[];
	/** What an empty field can stand for, beside being left out. */
	readonly emptyValues: readonly ("" | null)[];
}

/** An operation's form. */
export interface FormModel {
	readonly fields: readonly FormField[];
	/** The keys of the body's fields of which exactly one must be given; empty where there is no such rule. */
	readonly exclusiveKeys: readonly string[];
}

/** Makes the form of an operation from its parameters and the schema of its body. */
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

/** The key of a field. */
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

/** An empty text only where the schema goes out of its way to take one: else it means no more than a gap. */
function listEmptyValues(schema: JsonSchema): readonly ("" | null)[] {
	const parts = [schema, ...schema.anyOf];
	const takesEmptyText =
		parts.some(({ pattern }) => pattern !== undefined) && checkValue(schema, "").length === 0;
	const takesNull = parts.some(({ types }) => types.includes("null"));
	return [...(takesEmptyText ? ([""] as const) : []), ...(takesNull ? [null] : [])];
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

/** The types that fit, those of its alternatives included. */
function typesOf({ types, anyOf }: JsonSchema): readonly string[] {
	return types.length > 0 ? types : [...new Set(anyOf.flatMap(typesOf))];
}

/** What must be filled in stands first, and the fields of which one must be given stand together. */
function sortFields(fields: readonly FormField[], exclusive: readonly string[]): FormField[] {
	const rank = ({ place, name, isRequired }: FormField): number => {
		if (place !== "body") return place === "path" ? 0 : 1;
		if (exclusive.includes(name)) return 2;
		return isRequired ? 3 : 4;
	};
	return fields.toSorted((left, right) => rank(left) - rank(right));
}
