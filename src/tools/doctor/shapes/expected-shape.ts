import type { $ZodType, $ZodTypes } from "zod/v4/core";
import { isZodSchema } from "../../../library/catalogue/known-path.ts";
import { receivedMilliseconds, type Schema } from "../../../library/catalogue/schema.ts";

/** A field that the catalogue expects in a response. */
export interface ExpectedField {
	readonly name: string;
	/** The JSON type; `"other"` for a union or anything. */
	readonly type: "string" | "number" | "boolean" | "array" | "object" | "other";
	/** Whether the field holds Unix milliseconds or a duration in milliseconds. */
	readonly isMilliseconds: boolean;
	readonly isOptional: boolean;
	readonly isNullable: boolean;
	/** The fields of an object, or of each item of an array, as far as the schema names them. */
	readonly fields: readonly ExpectedField[];
	/** Whether a value has the expected shape; an array has it whatever its items are, if they have `fields`. */
	readonly accepts: (value: unknown) => boolean;
}

/** The fields that a schema of `data` names; none for a schema that accepts anything. */
export function expectedFields(schema: Schema<unknown>): readonly ExpectedField[] {
	return isZodSchema(schema) ? fieldsOf(schema) : [];
}

function fieldsOf(schema: $ZodType): readonly ExpectedField[] {
	const { def } = (schema as $ZodTypes)._zod;
	if (def.type === "array") return fieldsOf(def.element);
	if (def.type !== "object") return [];
	return Object.entries(def.shape).map(([name, field]) => describe(name, field));
}

function describe(name: string, field: $ZodType): ExpectedField {
	let schema = field;
	let isOptional = false;
	let isNullable = false;
	for (;;) {
		const { def } = (schema as $ZodTypes)._zod;
		if (def.type === "optional") isOptional = true;
		else if (def.type === "nullable") isNullable = true;
		else if (def.type !== "readonly") break;
		schema = def.innerType;
	}
	const inner = schema;
	const fields = fieldsOf(inner);
	const type = typeOf(inner);
	return {
		name,
		type,
		isMilliseconds: Object.is(inner, receivedMilliseconds),
		isOptional,
		isNullable,
		fields,
		accepts: (value) =>
			(value === null && isNullable) ||
			(type === "array" && fields.length > 0 ? Array.isArray(value) : isValid(inner, value)),
	};
}

function typeOf(schema: $ZodType): ExpectedField["type"] {
	const { type } = (schema as $ZodTypes)._zod.def;
	if (type === "record") return "object";
	return type === "string" || type === "number" || type === "boolean" || type === "array" || type === "object"
		? type
		: "other";
}

/** Our schemas validate without waiting. */
function isValid(schema: $ZodType, value: unknown): boolean {
	const result = schema["~standard"].validate(value);
	return "issues" in result ? result.issues === undefined : "value" in result;
}
