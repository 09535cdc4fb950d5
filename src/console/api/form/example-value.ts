import type { JsonSchema } from "../document/read-schema.ts";
import { checkValue, requiredNames } from "./check-value.ts";

/** From this length on, a text is one that people write. */
export const LONG_TEXT_LENGTH = 2000;

/** Tried in order where the document has no example; the first that fits its schema is taken. */
const TEXTS = [
	"https://example.com/",
	"+15551234567",
	"image/png",
	"0f6c9d1e-3c55-4b8e-9a55-2f4f3d1c7a10",
	"2026-01-01T00:00:00Z",
	"Hello",
];

/** A value that fits the schema, with no more fields than it must have. */
export function exampleValue(schema: JsonSchema, name = "value"): unknown {
	const { choices, examples, types, anyOf, oneOf } = schema;
	const [first] = choices ?? examples;
	if (first !== undefined) return first;
	const [alternative] = anyOf.length > 0 ? anyOf : types.length === 0 ? oneOf : [];
	if (alternative !== undefined) return exampleValue(alternative, name);
	switch (types.find((type) => type !== "null")) {
		case "string":
			return exampleText(schema, name);
		case "number":
		case "integer":
			return schema.minimum ?? 1;
		case "boolean":
			return true;
		case "array":
			return exampleArray(schema);
		case "object":
			return exampleObject(schema);
		default:
			return types.length === 0 ? {} : null;
	}
}

function exampleText(schema: JsonSchema, name: string): string {
	const isLong = (schema.maximum ?? 0) >= LONG_TEXT_LENGTH;
	// Without anything to go by, a field's own name shows what belongs there.
	const texts =
		schema.pattern !== undefined || schema.format !== undefined ? TEXTS : [isLong ? "Hello" : name];
	return texts.find((text) => checkValue(schema, text).length === 0) ?? "Hello";
}

function exampleArray({ items, minimum = 0 }: JsonSchema): unknown[] {
	if (items === undefined) return [];
	return Array.from({ length: Math.max(1, minimum) }, () => exampleValue(items, "item"));
}

function exampleObject({ properties, required, oneOf }: JsonSchema): Record<string, unknown> {
	const [alternative] = requiredNames(oneOf) ?? [];
	const wanted = new Set(alternative === undefined ? required : [...required, alternative]);
	const fields = Object.entries(properties).filter(([name]) => wanted.has(name));
	return Object.fromEntries(fields.map(([name, schema]) => [name, exampleValue(schema, name)]));
}
