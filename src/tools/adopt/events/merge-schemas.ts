import type { ReadSchema } from "../document/read-schema.ts";

const MAX_DEPTH = 8;

/** What a payload of one of two shapes may hold, such as a text and a picture under one type. */
export function mergeSchemas(left: ReadSchema, right: ReadSchema, depth = 0): ReadSchema {
	if (left === right || depth > MAX_DEPTH) return left;
	const properties = Object.entries(right.properties).map(([name, schema]) => {
		const known = left.properties[name];
		return [name, known === undefined ? schema : mergeSchemas(known, schema, depth + 1)] as const;
	});
	const isClosed = left.choices.length > 0 && right.choices.length > 0;
	const items = left.items && right.items && mergeSchemas(left.items, right.items, depth + 1);
	return {
		...left,
		type: left.type ?? right.type,
		properties: { ...left.properties, ...Object.fromEntries(properties) },
		required: left.required.filter((name) => right.required.includes(name)),
		items: items ?? left.items ?? right.items,
		choices: isClosed ? [...new Set([...left.choices, ...right.choices])] : [],
		words: [...new Set([left.words, right.words])].join(" ").trim(),
		format: left.format ?? right.format,
	};
}
