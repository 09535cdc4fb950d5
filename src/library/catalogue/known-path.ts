import type { $ZodType, $ZodTypes } from "zod/v4/core";
import type { SchemaIssue } from "./schema.ts";

/** Replaces a key that the schema does not name: it could be a number or a message text. */
const UNNAMED = "*";

/** Where a step of a path leads. */
interface PathStep {
	readonly schema: $ZodType;
	/** Whether the schema names the key itself, or it is the index of an item. */
	readonly isNamed: boolean;
}

/** The dotted path of an issue. Keys that the schema does not name are replaced. */
export function describePath(schema: object, path: SchemaIssue["path"] = []): string {
	let schemas = isZodSchema(schema) ? [schema] : [];
	const parts = path.map((part) => {
		const key = typeof part === "object" ? part.key : part;
		const steps = schemas.flatMap((candidate) => stepInto(candidate, key));
		schemas = steps.map((step) => step.schema);
		return steps.some(({ isNamed }) => isNamed) ? String(key) : UNNAMED;
	});
	return parts.join(".");
}

/** Whether the schema names every key of a foreign path, such as `attachments[0].url`. */
export function namesPath(schema: object, path: string): boolean {
	const parts = path.replace(/\[(\d+)\]/g, ".$1").split(".");
	// Three digits could be a short code.
	const keys = parts.map((part) => (/^\d{1,2}$/.test(part) ? Number(part) : part));
	return !describePath(schema, keys).split(".").includes(UNNAMED);
}

/** The names of the fields that an input needs, with `to` for its target: what its shape looks like. */
export function neededFields(schema: object): string[] {
	const def = isZodSchema(schema) ? (schema as $ZodTypes)._zod.def : undefined;
	if (def?.type !== "object") return [];
	const fields = Object.entries(def.shape);
	return fields
		.filter(([name, { _zod }]) => name === "to" || _zod.def.type !== "optional")
		.map(([name]) => name);
}

/** Whether a schema is a zod schema, whose structure can be read. */
export function isZodSchema<Schema extends object>(schema: Schema): schema is Schema & $ZodType {
	return "_zod" in schema;
}

function stepInto(schema: $ZodType, key: PropertyKey): PathStep[] {
	const { def } = (schema as $ZodTypes)._zod;
	switch (def.type) {
		case "object": {
			const field = Object.hasOwn(def.shape, key) ? def.shape[String(key)] : undefined;
			if (field !== undefined) return [{ schema: field, isNamed: true }];
			return def.catchall === undefined ? [] : [{ schema: def.catchall, isNamed: false }];
		}
		case "array":
			return typeof key === "number" ? [{ schema: def.element, isNamed: true }] : [];
		case "tuple": {
			const item = typeof key === "number" ? (def.items[key] ?? def.rest) : undefined;
			return item == null ? [] : [{ schema: item, isNamed: true }];
		}
		case "record":
			return [{ schema: def.valueType, isNamed: false }];
		case "union":
			return def.options.flatMap((option) => stepInto(option, key));
		case "intersection":
			return [def.left, def.right].flatMap((side) => stepInto(side, key));
		case "pipe":
			return [def.in, def.out].flatMap((side) => stepInto(side, key));
		default:
			return "innerType" in def ? stepInto(def.innerType, key) : [];
	}
}
