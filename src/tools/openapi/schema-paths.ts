import { isJsonObject } from "../../library/is-object.ts";
import type { WireSteps } from "../../library/maps/wire-path.ts";
import type { JsonSchema } from "./document.ts";

/** The named schemas of a document. */
export type Components = Readonly<Record<string, JsonSchema>>;

/** A field's schema, and whether its object always has it. */
export interface FieldSchema {
	readonly schema: JsonSchema;
	readonly isRequired: boolean;
}

const COMPONENT = "#/components/schemas/";

/** The schema of the field at a path such as `message.status`, `attachments.0.url` or nothing; anything if there is none. */
export function fieldSchemaAt(schema: JsonSchema, path: string, components: Components): FieldSchema {
	const [name = "", ...rest] = path.split(".");
	if (path === "") return { schema, isRequired: true };
	const isItem = name === "0";
	const options = optionsOf(schema, components).filter(
		({ properties }) => isItem || properties !== undefined,
	);
	for (const option of options) {
		const field: unknown = isItem ? option["items"] : option.properties?.[name];
		if (!isJsonObject(field)) continue;
		const inner = fieldSchemaAt(field, rest.join("."), components);
		const isHere = isItem || options.every(({ required }) => required?.includes(name));
		return { schema: inner.schema, isRequired: rest.length === 0 ? isHere : inner.isRequired };
	}
	return { schema: {}, isRequired: false };
}

/** A schema without its reference, then each of its alternatives. */
export function optionsOf(schema: JsonSchema, components: Components): JsonSchema[] {
	const { $ref, anyOf, oneOf } = schema;
	const target = $ref?.startsWith(COMPONENT) ? components[$ref.slice(COMPONENT.length)] : undefined;
	const own = target === undefined ? [schema] : optionsOf(target, components);
	const others = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isJsonObject) : []));
	return [...own, ...others.flatMap((option) => optionsOf(option, components))];
}

/** A schema with another one at the end of a way. An object that has a required field is required itself. */
export function withSchemaAt(
	parent: JsonSchema,
	[step, ...rest]: WireSteps,
	field: FieldSchema,
	isClosed: boolean,
): JsonSchema {
	if (step === undefined) return { ...parent, ...field.schema };
	if (step === 0) {
		const items = isJsonObject(parent["items"]) ? parent["items"] : {};
		if (rest.length === 0 && field.schema.type === "array") return { ...parent, ...field.schema };
		return { ...parent, type: "array", items: withSchemaAt(items, rest, field, isClosed) };
	}
	const { properties = {}, required = [] } = parent;
	const inner = withSchemaAt(properties[step] ?? {}, rest, field, isClosed);
	const names = field.isRequired && !required.includes(step) ? [...required, step] : required;
	return {
		...parent,
		type: "object",
		properties: { ...properties, [step]: inner },
		...(names.length === 0 ? {} : { required: names }),
		...(isClosed ? { additionalProperties: false } : {}),
	};
}
