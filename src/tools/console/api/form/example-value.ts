import type { ResolvedSchema } from "../document/api-document.ts";
import { checkValue, requiredNames } from "./check-value.ts";

/** A string that may have this length is a text that people write. */
export const LONG_TEXT_LENGTH = 2000;

/** Used if the document has no example: the first that matches the schema. */
const CANDIDATES = [
	"https://example.com/",
	"+15551234567",
	"image/png",
	"0f6c9d1e-3c55-4b8e-9a55-2f4f3d1c7a10",
	"2026-01-01T00:00:00Z",
];

/** Creates a value that matches the schema, with only its required fields. */
export function exampleValue(schema: ResolvedSchema, name = "value"): unknown {
	const { choices, examples, types, anyOf, oneOf, items, minimum } = schema;
	const [first] = choices ?? examples;
	if (first !== undefined) return first;
	const [alternative] = anyOf.length > 0 ? anyOf : types.length === 0 ? oneOf : [];
	if (alternative !== undefined) return exampleValue(alternative, name);
	switch (types.find((type) => type !== "null")) {
		case "string":
			return exampleString(schema, name);
		case "number":
		case "integer":
			return minimum ?? 1;
		case "boolean":
			return true;
		case "array":
			return items === undefined ? [] : Array(Math.max(1, minimum ?? 0)).fill(exampleValue(items, "item"));
		case "object":
			return exampleObject(schema);
		default:
			return types.length === 0 ? {} : null;
	}
}

function exampleString(schema: ResolvedSchema, name: string): string {
	const own = (schema.maximum ?? 0) >= LONG_TEXT_LENGTH ? "Hello" : name;
	return [own, ...CANDIDATES].find((candidate) => checkValue(schema, candidate).length === 0) ?? own;
}

function exampleObject({ properties, required, oneOf }: ResolvedSchema): Record<string, unknown> {
	const [alternative] = requiredNames(oneOf) ?? [];
	const fields = Object.entries(properties).filter(
		([name]) => required.includes(name) || name === alternative,
	);
	return Object.fromEntries(fields.map(([name, schema]) => [name, exampleValue(schema, name)]));
}
