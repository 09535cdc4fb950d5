import type { ApiOperation, ResolvedSchema } from "../document/api-document.ts";
import { checkValue, requiredNames } from "./check-value.ts";
import { LONG_TEXT_LENGTH } from "./example-value.ts";

export type Place = "path" | "query" | "body";

export type FieldKind = "line" | "text" | "number" | "choice" | "json";

export interface FormField {
	/** Place and name, since the path and the body may have fields of the same name. */
	readonly key: string;
	readonly name: string;
	readonly place: Place;
	readonly kind: FieldKind;
	readonly isRequired: boolean;
	readonly schema: ResolvedSchema;
	/** The accepted values, if they are listed. */
	readonly choices: readonly unknown[];
	/** The values that can be sent for an empty field. */
	readonly emptyValues: readonly ("" | null)[];
}

export interface FormModel {
	/** The required fields first, and exclusive fields together. */
	readonly fields: readonly FormField[];
	/** The keys of body fields of which exactly one must be given; empty without this rule. */
	readonly exclusiveKeys: readonly string[];
}

/** Creates the form of an operation from its parameters and the schema of its body. */
export function createFormModel({ parameters, body }: ApiOperation): FormModel {
	const exclusive = requiredNames(body?.oneOf ?? []) ?? [];
	const rank = ({ place, name, isRequired }: FormField): number => {
		if (place !== "body") return place === "path" ? 0 : 1;
		if (exclusive.includes(name)) return 2;
		return isRequired ? 3 : 4;
	};
	const fields = [
		...parameters.map(({ name, place, isRequired, schema }) => createField(name, place, isRequired, schema)),
		...Object.entries(body?.properties ?? {}).map(([name, schema]) =>
			createField(name, "body", body?.required.includes(name) === true, schema),
		),
	];
	return {
		fields: fields.toSorted((left, right) => rank(left) - rank(right)),
		exclusiveKeys: exclusive.map((name) => toFieldKey("body", name)),
	};
}

export function toFieldKey(place: Place, name: string): string {
	return `${place}.${name}`;
}

function createField(name: string, place: Place, isRequired: boolean, schema: ResolvedSchema): FormField {
	return {
		key: toFieldKey(place, name),
		name,
		place,
		kind: kindOf(schema),
		isRequired,
		schema,
		choices: schema.types.includes("boolean") ? [true, false] : (schema.choices ?? []),
		emptyValues: place === "body" ? listEmptyValues(schema) : [],
	};
}

/** Offers the empty string only if a pattern of the schema explicitly accepts it. */
function listEmptyValues(schema: ResolvedSchema): readonly ("" | null)[] {
	const hasPattern = [schema, ...schema.anyOf].some(({ pattern }) => pattern !== undefined);
	return [
		...(hasPattern && checkValue(schema, "").length === 0 ? ([""] as const) : []),
		...(typesOf(schema).includes("null") ? [null] : []),
	];
}

function kindOf(schema: ResolvedSchema): FieldKind {
	if (schema.choices !== undefined) return "choice";
	const [type, ...others] = typesOf(schema).filter((candidate) => candidate !== "null");
	if (others.length > 0) return "json";
	if (type === "boolean") return "choice";
	if (type === "number" || type === "integer") return "number";
	if (type !== "string") return "json";
	return (schema.maximum ?? 0) >= LONG_TEXT_LENGTH ? "text" : "line";
}

function typesOf({ types, anyOf }: ResolvedSchema): readonly string[] {
	return types.length > 0 ? types : [...new Set(anyOf.flatMap(typesOf))];
}
