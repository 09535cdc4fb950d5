import type { JsonSchema } from "./document.ts";

const UNITS = {
	s: { type: "integer", format: "int64" },
	ms: { type: "integer", format: "int64" },
	iso: { type: "string", format: "date-time" },
} as const;

const UNIT_NAMES = {
	s: "In seconds.",
	ms: "In milliseconds.",
	iso: "As ISO 8601.",
};

/** The schema of a time in another unit. */
export function inUnit({ description, type }: JsonSchema, unit: keyof typeof UNITS): JsonSchema {
	const { type: own, ...rest } = UNITS[unit];
	const isNullable = Array.isArray(type) && type.includes("null");
	return {
		description: description === undefined ? UNIT_NAMES[unit] : `${description} ${UNIT_NAMES[unit]}`,
		type: isNullable ? [own, "null"] : own,
		...rest,
	};
}

/** The schema of a value that has other names on the wire: a closed list stays closed. */
export function withValues(schema: JsonSchema, values: readonly unknown[]): JsonSchema {
	const { enum: known, examples, const: fixed, pattern, ...rest } = schema;
	if (Array.isArray(known)) {
		const { type, ...more } = rest;
		return { ...more, enum: [...new Set(values)] };
	}
	const { type, ...more } = rest;
	const types = new Set([...[type ?? "string"].flat(), ...values.map(typeOf)]);
	return {
		...more,
		type: types.size === 1 ? [...types][0] : [...types],
		examples: [...new Set(values)],
	} as JsonSchema;
}

/** The schema of a value that is always the same. */
export function constantSchema(value: unknown): JsonSchema {
	return { type: typeOf(value), const: value };
}

function typeOf(value: unknown): string {
	return value === null ? "null" : typeof value;
}
