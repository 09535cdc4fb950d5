import { asList, asNumber, asObject, asText, asTexts, type JsonObject } from "../../parts/json-value.ts";
import { dereference } from "./reference.ts";

/** Deeper than any request nests; a schema that refers to itself ends here as one that takes anything. */
const MAX_DEPTH = 8;

/** What a schema of the document says, with its references followed. */
export interface JsonSchema {
	/** The types of JSON that fit; empty where every type does. */
	readonly types: readonly string[];
	readonly description: string | undefined;
	/** The values that fit, where they are listed. */
	readonly choices: readonly unknown[] | undefined;
	readonly examples: readonly unknown[];
	readonly pattern: string | undefined;
	readonly format: string | undefined;
	/** For texts, lists and numbers alike: lengths, counts and values. */
	readonly minimum: number | undefined;
	readonly maximum: number | undefined;
	readonly items: JsonSchema | undefined;
	readonly properties: Readonly<Record<string, JsonSchema>>;
	readonly required: readonly string[];
	/** Whether an object may have fields that are not in `properties`. */
	readonly isOpen: boolean;
	/** Fields that demand others. */
	readonly dependentRequired: Readonly<Record<string, readonly string[]>>;
	/** Of these, exactly one must fit. */
	readonly oneOf: readonly JsonSchema[];
	/** Of these, at least one must fit. */
	readonly anyOf: readonly JsonSchema[];
}

/** Reads a schema of a document. What this page does not know of JSON Schema is left out: the gateway checks all of it. */
export function readSchema(document: unknown, value: unknown, depth = 0): JsonSchema {
	if (depth > MAX_DEPTH) return readSchema(document, {});
	const schema = mergeParts(document, value);
	const read = (part: unknown): JsonSchema => readSchema(document, part, depth + 1);
	const { type, items, properties, additionalProperties, dependentRequired } = schema;
	return {
		types: typeof type === "string" ? [type] : asTexts(type),
		description: asText(schema["description"]),
		choices: Object.hasOwn(schema, "const") ? [schema["const"]] : asChoices(schema["enum"]),
		examples: [...asList(schema["examples"]), ...("example" in schema ? [schema["example"]] : [])],
		pattern: asText(schema["pattern"]),
		format: asText(schema["format"]),
		minimum: firstNumber(schema, ["minLength", "minItems", "minimum"]),
		maximum: firstNumber(schema, ["maxLength", "maxItems", "maximum"]),
		items: items === undefined ? undefined : read(items),
		properties: mapValues(asObject(properties), read),
		required: asTexts(schema["required"]),
		isOpen: additionalProperties !== false,
		dependentRequired: mapValues(asObject(dependentRequired), asTexts),
		oneOf: asList(schema["oneOf"]).map(read),
		anyOf: asList(schema["anyOf"]).map(read),
	};
}

/** Follows the schema's reference and takes the parts of `allOf` into it, so that an object has all its fields in one place. */
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
