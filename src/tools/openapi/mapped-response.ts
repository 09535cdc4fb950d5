import type { ResponseMap } from "../../library/catalogue/operation-map.ts";
import { readSteps } from "../../library/maps/wire-path.ts";
import type { JsonSchema } from "./document.ts";
import { type Components, type FieldSchema, fieldSchemaAt, withSchemaAt } from "./schema-paths.ts";
import { inUnit, withValues } from "./wire-values.ts";

/** The schema of an operation's data on the wire. */
export function describeMappedData(
	{ root = "", list = "", fields, next }: ResponseMap,
	data: JsonSchema,
	pageItems: string | undefined,
	components: Components,
): JsonSchema {
	const prefix = pageItems === undefined ? "" : `${pageItems}.0.`;
	const describe = (path: string, field: ResponseMap["fields"][string]): FieldSchema => {
		const found = fieldSchemaAt(data, prefix + path, components);
		if (typeof field === "string" || !("at" in field)) return found;
		if (field.unit !== undefined) return { ...found, schema: inUnit(found.schema, field.unit) };
		return { ...found, schema: withValues(found.schema, Object.keys(field.map ?? {})) };
	};
	const written = new Set<string>();
	let item: JsonSchema = {};
	for (const [path, field] of Object.entries(fields)) {
		const at = typeof field === "string" ? field : "at" in field ? field.at : undefined;
		if (at === undefined || written.has(at)) continue;
		written.add(at);
		item = put(item, at, describe(path, field));
	}
	if (pageItems === undefined) return put({}, root, { schema: item, isRequired: true });
	let page = put({}, list, { schema: { type: "array", items: item }, isRequired: true });
	for (const [path, type] of pagePlaces(next))
		page = put(page, path, { schema: { type }, isRequired: false });
	return put({}, root, { schema: page, isRequired: true });
}

function pagePlaces(next: ResponseMap["next"]): [path: string, type: string | string[]][] {
	if (next === undefined) return [];
	const known = { cursor: undefined, total: undefined, more: undefined, pages: undefined, ...next };
	const places: [string | undefined, string | string[]][] = [
		[known.cursor, ["string", "null"]],
		[known.total, "integer"],
		[known.more, "boolean"],
		[known.pages, "integer"],
	];
	return places.flatMap(([path, type]) => (path === undefined ? [] : [[path, type]]));
}

function put(schema: JsonSchema, path: string, field: FieldSchema): JsonSchema {
	return withSchemaAt(schema, readSteps(path) ?? [], field, false);
}
