import type { RequestMap } from "../../library/catalogue/operation-map.ts";
import { isJsonObject } from "../../library/is-object.ts";
import { readPlace } from "../../library/maps/wire-path.ts";
import type { Route } from "../routes.ts";
import type { JsonSchema, ParameterObject } from "./document.ts";
import { type Components, type FieldSchema, fieldSchemaAt, withSchemaAt } from "./schema-paths.ts";
import { constantSchema, inUnit, withValues } from "./wire-values.ts";

/** What is sent of an input by a map. */
export interface PlacedFields {
	readonly parameters: ParameterObject[];
	readonly body: JsonSchema | undefined;
}

/** The input of a map's places. */
interface MappedFields {
	readonly schema: JsonSchema;
	readonly components: Components;
	/** The fields that are given although the schema does not require them. */
	readonly given: readonly string[];
	/** Whether a list's cursor is a number. */
	readonly isNumbered: boolean;
}

const PLACES = { params: "path", query: "query", headers: "header" } as const;

const UUID: JsonSchema = {
	type: "string",
	format: "uuid",
	description: "One for each call; a retry has the same.",
};

/** Puts the schemas of an input's fields into the places of a map. */
export function placeMappedFields(
	{ when = {}, request = {} }: Route,
	schema: JsonSchema,
	{ components, isNumbered }: Pick<MappedFields, "components" | "isNumbered">,
): PlacedFields {
	const given = [...Object.keys(when), ...onlyTarget(schema, request)];
	const fields: MappedFields = { schema, components, given, isNumbered };
	const parameters: ParameterObject[] = [];
	let body: JsonSchema | undefined;
	for (const [written, source] of Object.entries(request)) {
		const place = readPlace(written);
		if (place === undefined) continue;
		const field = describeSource(source, fields);
		if (place.part === "body") {
			body = withSchemaAt(body ?? {}, place.steps, field, true);
			continue;
		}
		const { description, ...own } = field.schema;
		parameters.push({
			name: place.name,
			in: PLACES[place.part],
			required: place.part === "params" || field.isRequired,
			...(description === undefined ? {} : { description }),
			schema: own,
		});
	}
	return { parameters, body };
}

/** The target of a message, if the map has a place for one alone. */
function onlyTarget({ oneOf }: JsonSchema, request: RequestMap): string[] {
	const targets = (Array.isArray(oneOf) ? oneOf : []).flatMap((option) =>
		isJsonObject(option) && Array.isArray(option["required"]) ? option["required"].map(String) : [],
	);
	const named = new Set(Object.values(request).map((source) => (typeof source === "string" ? source : "")));
	const placed = targets.filter((target) => named.has(target));
	return placed.length === 1 ? placed : [];
}

function describeSource(source: RequestMap[string], fields: MappedFields): FieldSchema {
	if (typeof source === "string") return describeField(source, fields);
	if ("value" in source) return { schema: constantSchema(source.value), isRequired: true };
	if ("uuid" in source) return { schema: UUID, isRequired: true };
	if ("each" in source) {
		const { isRequired, schema } = describeField(source.each, fields);
		const own = schema.type === "array" && isJsonObject(schema["items"]) ? schema["items"] : schema;
		const item = describeItem(source.item, { ...fields, schema: own, given: [] });
		return { schema: source.as === "first" ? item : { type: "array", items: item }, isRequired };
	}
	if ("parts" in source) {
		const items = source.parts.map(({ when, item }) => {
			const { schema } = describeField(when, fields);
			const isList = schema.type === "array" && isJsonObject(schema["items"]);
			const own = isList && isJsonObject(schema["items"]) ? schema["items"] : fields.schema;
			return describeItem(item, { ...fields, schema: own, given: [when] });
		});
		return { schema: { type: "array", items: { anyOf: items } }, isRequired: true };
	}
	const { schema, isRequired } = describeField(source.from, fields);
	if (source.unit !== undefined) return { schema: inUnit(schema, source.unit), isRequired };
	return { schema: withValues(schema, Object.values(source.map ?? {})), isRequired };
}

function describeField(path: string, { schema, components, given, isNumbered }: MappedFields): FieldSchema {
	const field = fieldSchemaAt(schema, path, components);
	const isCursor = path === "cursor" && isNumbered;
	return {
		schema: isCursor ? { description: field.schema.description ?? "", type: "integer" } : field.schema,
		isRequired: field.isRequired || given.includes(path),
	};
}

function describeItem(item: RequestMap | string, fields: MappedFields): JsonSchema {
	if (typeof item === "string") return describeField(item, fields).schema;
	return Object.entries(item).reduce<JsonSchema>((schema, [path, source]) => {
		const { steps = [] } = readPlace(path) ?? {};
		return withSchemaAt(schema, steps, describeSource(source, fields), true);
	}, {});
}
