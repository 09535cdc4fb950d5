import { asList, asNumber, asObject, asString, asStrings, type JsonObject } from "../../parts/json-value.ts";
import { dereference } from "./reference.ts";

/** Deeper than any request; at this depth a recursive schema accepts anything. */
const MAX_DEPTH = 8;

/** A schema of the document with its references resolved. */
export interface JsonSchema {
	/** The accepted JSON types; empty for every type. */
	readonly types: readonly string[];
	readonly description: string | undefined;
	/** The accepted values, if they are listed. */
	readonly choices: readonly unknown[] | undefined;
	readonly examples: readonly unknown[];
	readonly pattern: string | undefined;
	readonly format: string | undefined;
	/** The length of strings, the number of items in arrays, or the value of numbers. */
	readonly minimum: number | undefined;
	readonly maximum: number | undefined;
	readonly items: JsonSchema | undefined;
	readonly properties: Readonly<Record<string, JsonSchema>>;
	readonly required: readonly string[];
	/** Whether an object may have fields that are not in `properties`. */
	readonly isOpen: boolean;
	/** Fields that require other fields. */
	readonly dependentRequired: Readonly<Record<string, readonly string[]>>;
	/** Exactly one of these must match. */
	readonly oneOf: readonly JsonSchema[];
	/** At least one of these must match. */
	readonly anyOf: readonly JsonSchema[];
}

/** Reads a schema of a document. Unknown keywords are left out; the gateway checks everything. */
export function readSchema(document: unknown, value: unknown, depth = 0): JsonSchema {
	if (depth > MAX_DEPTH) return readSchema(document, {});
	const schema = mergeParts(document, value);
	const read = (part: unknown): JsonSchema => readSchema(document, part, depth + 1);
	const { type, items, properties, additionalProperties, dependentRequired } = schema;
	return {
		types: typeof type === "string" ? [type] : asStrings(type),
		description: asString(schema["description"]),
		choices: Object.hasOwn(schema, "const") ? [schema["const"]] : asChoices(schema["enum"]),
		examples: [...asList(schema["examples"]), ...("example" in schema ? [schema["example"]] : [])],
		pattern: asString(schema["pattern"]),
		format: asString(schema["format"]),
		minimum: firstNumber(schema, ["minLength", "minItems", "minimum"]),
		maximum: firstNumber(schema, ["maxLength", "maxItems", "maximum"]),
		items: items === undefined ? undefined : read(items),
		properties: mapValues(asObject(properties), read),
		required: asStrings(schema["required"]),
		isOpen: additionalProperties !== false,
		dependentRequired: mapValues(asObject(dependentRequired), asStrings),
		oneOf: asList(schema["oneOf"]).map(read),
		anyOf: asList(schema["anyOf"]).map(read),
	};
}

/** Resolves the schema's reference and merges the parts of `allOf`. */
function mergeParts(document: unknown, value: unknown): JsonObject {
	const { allOf, ...own } = dereference(document, value);
	const all = [...asList(allOf).map((part) => mergeParts(document, part)), own];
	return {
		...Object.fromEntries(all.flatMap((part) => Object.entries(part))),
		properties: Object.fromEntries(all.flatMap(({ properties }) => Object.entries(asObject(properties)))),
		required: all.flatMap(({ required }) => asList(required)),
	};
}

function asChoices(value: unknown): readonly unknown[] | undefined {
	return Array.isArray(value) ? value : undefined;
}

function firstNumber(schema: JsonObject, names: readonly string[]): number | undefined {
	return names.map((name) => asNumber(schema[name])).find((number) => number !== undefined);
}

function mapValues<Value>(object: JsonObject, read: (value: unknown) => Value): Record<string, Value> {
	return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, read(value)]));
}
