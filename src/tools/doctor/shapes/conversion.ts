import { isJsonObject } from "../../../library/is-object.ts";

/** The keys from a response's `data` to a value. */
export type Place = readonly string[];

/** How one value of ours is made from a response's. */
export type Conversion =
	| { readonly kind: "value"; readonly from: Place; readonly as: keyof typeof CONVERSIONS }
	| {
			readonly kind: "object";
			/** The object whose fields are kept. */
			readonly from: Place;
			/** The fields that it does not have under our names and in our types. */
			readonly fields: readonly (readonly [name: string, conversion: Conversion])[];
			/** The fields that were not found. They stay absent: a value made up for them could be false. */
			readonly missing: readonly string[];
	  }
	| {
			readonly kind: "list";
			readonly from: Place;
			/** Of each item. */
			readonly item: Conversion;
	  };

/** How a value is converted: by this program, and in the source of a profile. */
const CONVERSIONS = {
	same: { convert: (value: unknown) => value, write: (source: string) => source },
	string: { convert: String, write: (source: string) => `String(${source})` },
	number: { convert: Number, write: (source: string) => `Number(${source})` },
	milliseconds: {
		convert: (value: unknown) => Number(value) * 1000,
		write: (source: string) => `${source} * 1000`,
	},
	date: {
		convert: (value: unknown) => Date.parse(String(value)),
		write: (source: string) => `Date.parse(${source})`,
	},
} as const satisfies Record<
	string,
	{ convert: (value: unknown) => unknown; write: (source: string) => string }
>;

/** Converts a response's `data`, as the source of {@link writeConversion} does. */
export function convert(conversion: Conversion, data: unknown): unknown {
	switch (conversion.kind) {
		case "value": {
			const value = valueAt(data, conversion.from);
			return value == null ? value : CONVERSIONS[conversion.as].convert(value);
		}
		case "list": {
			const list = valueAt(data, conversion.from);
			return Array.isArray(list) ? list.map((item: unknown) => convert(conversion.item, item)) : [];
		}
		case "object": {
			const kept = valueAt(data, conversion.from);
			const fields = conversion.fields.map(([name, field]) => [name, convert(field, data)] as const);
			return { ...(isJsonObject(kept) ? kept : {}), ...Object.fromEntries(fields) };
		}
	}
}

/** The value at a place, or `undefined`. */
export function valueAt(data: unknown, place: Place): unknown {
	let value = data;
	for (const key of place) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
	return value;
}

export function samePlace(left: Place, right: Place): boolean {
	return left.length === right.length && left.every((key, at) => key === right[at]);
}

/**
 * A function for `response.decode` as source, valid in JavaScript and in TypeScript.
 * @param source - an expression for what is converted.
 */
export function writeConversion(conversion: Conversion, indent: string, source = "data"): string {
	const inner = `${indent}  `;
	// `Object()` is typed `any`, and makes an object of every value.
	const lines = [`const from = Object(${source});`, `return ${write(conversion, "from", inner)};`];
	return `(data) => {\n${lines.map((line) => `${inner}${line}\n`).join("")}${indent}}`;
}

function write(conversion: Conversion, root: string, indent: string): string {
	switch (conversion.kind) {
		case "value": {
			const source = writePlace(root, conversion.from);
			const { write: writeAs } = CONVERSIONS[conversion.as];
			// An absent value stays absent.
			return conversion.as === "same" ? source : `${source} == null ? ${source} : ${writeAs(source)}`;
		}
		case "list": {
			const item = write(conversion.item, "Object(item)", indent);
			// `Object.values` gives `item` a type, so the source also compiles as strict TypeScript.
			return `Object.values(${writePlace(root, conversion.from)} ?? []).map((item) => (${item}))`;
		}
		case "object": {
			const inner = `${indent}  `;
			const lines = [
				`...${writePlace(root, conversion.from)},`,
				...conversion.fields.map(([name, field]) => `${name}: ${write(field, root, inner)},`),
				...conversion.missing.map(
					(name) => `// ${name}: not found in the response. Add it here if it is there.`,
				),
			];
			return `{\n${lines.map((line) => `${inner}${line}\n`).join("")}${indent}}`;
		}
	}
}

function writePlace(root: string, place: Place): string {
	return root + place.map((key, at) => `${at === 0 ? "" : "?"}.${key}`).join("");
}
