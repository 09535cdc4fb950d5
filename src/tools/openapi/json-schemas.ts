import * as z from "zod/mini";
import { isZodSchema } from "../../library/catalogue/known-path.ts";
import { type Schema, schemaNotes } from "../../library/catalogue/schema.ts";
import type { JsonSchema } from "./document.ts";
import { withExample } from "./examples.ts";
import { INTERFACE_DOCS } from "./interface-docs.ts";

/** The names of fields on the wire where they differ from ours, by our name. */
export type WireNames = Readonly<Record<string, string>>;

/** Turns the catalogue's schemas into JSON Schema, and gathers the named ones for `components.schemas`. */
export interface SchemaWriter {
	/** The named schemas that were written so far. */
	readonly components: Record<string, JsonSchema>;
	/** A schema, or a reference to it if it has a name. */
	write(schema: Schema<unknown>, wireNames?: WireNames): JsonSchema;
	/** The schema of an object in place, even if it has a name. */
	writeInPlace(schema: Schema<unknown>, wireNames?: WireNames): JsonSchema;
}

export function createSchemaWriter(): SchemaWriter {
	const components: Record<string, JsonSchema> = {};
	return {
		components,
		write(schema, wireNames) {
			const { name, own, others, reference } = convert(schema);
			Object.assign(components, others);
			if (name === undefined) return own;
			components[name] = renameFields(own, wireNames);
			return reference;
		},
		writeInPlace(schema, wireNames) {
			const { own, others, reference } = convert(schema);
			const { $ref, ...more } = reference;
			Object.assign(components, others);
			return { ...renameFields(own, wireNames), ...more };
		},
	};
}

const DEFINITIONS = "#/$defs/";
const COMPONENTS = "#/components/schemas/";

/** A schema split into its parts. */
interface Converted {
	/** The name of its interface. */
	name: string | undefined;
	/** The schema of the interface. */
	own: JsonSchema;
	/** The named schemas that it refers to. */
	others: Record<string, JsonSchema>;
	/** The schema to use in its place: a reference to its name, and keywords that were added later. */
	reference: JsonSchema;
}

function convert(schema: Schema<unknown>): Converted {
	if (!isZodSchema(schema)) throw new Error("the catalogue's schemas are made with zod");
	const {
		$schema,
		$defs = {},
		...reference
	} = withMovedReferences(
		z.toJSONSchema(schema, { metadata: schemaNotes, override: ({ jsonSchema }) => simplify(jsonSchema) }),
	);
	const named = Object.entries($defs).map(([name, value]) => [name, describeFields(name, value)] as const);
	const name = reference.$ref?.slice(COMPONENTS.length);
	const own = named.find(([candidate]) => candidate === name)?.[1] ?? reference;
	const others = Object.fromEntries(named.filter(([candidate]) => candidate !== name));
	return { name, own, others, reference };
}

/** A copy whose references point to the schemas of an OpenAPI document. */
function withMovedReferences(schema: object): JsonSchema & { $defs?: Record<string, JsonSchema> } {
	return JSON.parse(JSON.stringify(schema), (key, value) =>
		key === "$ref" ? String(value).replace(DEFINITIONS, COMPONENTS) : value,
	);
}

/** Removes keywords that have no effect, or that describe our code instead of the wire. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
	// A `readonly` array of TypeScript; for JSON Schema it would be one that no request may contain.
	delete schema.readOnly;
	// Every key of a JSON object is a string.
	delete schema.propertyNames;
	if (isEmptyObject(schema.additionalProperties)) delete schema.additionalProperties;
	if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
	if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
	// `contentEncoding` is enough; the pattern would be matched against megabytes.
	if (schema.contentEncoding === "base64") {
		delete schema.format;
		delete schema.pattern;
	}
}

function isEmptyObject(value: unknown): boolean {
	return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Adds the docstrings of the interface with this name, and examples. */
function describeFields(name: string, schema: JsonSchema): JsonSchema {
	if (schema.properties === undefined) return described(name, schema);
	const fields = Object.entries(schema.properties).map(([field, value]) => [
		field,
		withExample(name, field, described(`${name}.${field}`, value)),
	]);
	return described(name, { ...schema, properties: Object.fromEntries(fields) });
}

function described(name: string, schema: JsonSchema): JsonSchema {
	const description = INTERFACE_DOCS[name];
	return description === undefined ? schema : { description, ...schema };
}

function renameFields(schema: JsonSchema, wireNames: WireNames = {}): JsonSchema {
	const { properties, required } = schema;
	if (properties === undefined) return schema;
	const rename = (name: string): string => wireNames[name] ?? name;
	const renamed = Object.entries(properties).map(([name, value]) => [rename(name), value]);
	return {
		...schema,
		properties: Object.fromEntries(renamed),
		...(required === undefined ? {} : { required: required.map(rename) }),
	};
}
