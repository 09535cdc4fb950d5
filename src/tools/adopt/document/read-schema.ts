import { isJsonObject } from "../../../library/is-object.ts";

/** A value that an enumeration may have. */
type Choice = string | number | boolean;

/** A schema of a gateway's document: references and alternatives are resolved. */
export interface ReadSchema {
	readonly type: string | undefined;
	readonly properties: Readonly<Record<string, ReadSchema>>;
	readonly required: readonly string[];
	readonly items: ReadSchema | undefined;
	/** The only values; empty if it has no closed list. */
	readonly choices: readonly Choice[];
	readonly hasDefault: boolean;
	/** Its title, description, format and example in one string. */
	readonly words: string;
	readonly format: string | undefined;
	/** What a response had there; `undefined` if it is read from a document. */
	readonly seen?: readonly unknown[];
}

const UNKNOWN: ReadSchema = {
	type: undefined,
	properties: {},
	required: [],
	items: undefined,
	choices: [],
	hasDefault: false,
	words: "",
	format: undefined,
};

/** How deep references and schemas may be nested. */
const MAX_DEPTH = 12;

/** Names that would reach what every object inherits. */
const INHERITED = ["__proto__", "constructor", "prototype"];

/** Reads the schemas of one document, each reference once. */
export class SchemaReader {
	readonly #document: unknown;
	readonly #known = new Map<string, ReadSchema>();

	constructor(document: unknown) {
		this.#document = document;
	}

	/** The object at the end of a local reference; a remote one leads nowhere. */
	resolve(value: unknown, depth = 0): unknown {
		const reference = isJsonObject(value) ? value["$ref"] : undefined;
		if (typeof reference !== "string" || depth > MAX_DEPTH) return value;
		return this.resolve(this.#at(reference), depth + 1);
	}

	/** @param depth - how many schemas this one is inside of. */
	read(value: unknown, depth = 0): ReadSchema {
		if (!isJsonObject(value) || depth > MAX_DEPTH) return UNKNOWN;
		const reference = value["$ref"];
		if (typeof reference !== "string") return this.#readInline(value, depth);
		const known = this.#known.get(reference);
		if (known !== undefined) return known;
		// A loop ends here.
		this.#known.set(reference, UNKNOWN);
		const read = this.read(this.#at(reference), depth + 1);
		this.#known.set(reference, read);
		return read;
	}

	#at(reference: string): unknown {
		if (!reference.startsWith("#/")) return undefined;
		const names = reference.slice(2).split("/");
		return names.reduce<unknown>((parent, name) => {
			const key = unescaped(name);
			return isJsonObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
		}, this.#document);
	}

	#readInline(value: Readonly<Record<string, unknown>>, depth: number): ReadSchema {
		const own = this.#readOwn(value, depth);
		const all = listOf(value["allOf"]).map((part) => this.read(part, depth + 1));
		const options = [...listOf(value["oneOf"]), ...listOf(value["anyOf"])]
			.filter((option) => !isJsonObject(option) || option["type"] !== "null")
			.map((option) => this.read(option, depth + 1));
		const merged = [own, ...all].reduce(both);
		const [first, ...others] = options;
		return first === undefined ? merged : both(merged, others.reduce(either, first));
	}

	#readOwn(value: Readonly<Record<string, unknown>>, depth: number): ReadSchema {
		const properties = Object.entries(isJsonObject(value["properties"]) ? value["properties"] : {})
			.filter(([name]) => !INHERITED.includes(name))
			.map(([name, schema]) => [name, this.read(schema, depth + 1)] as const);
		const choices = "const" in value ? [value["const"]] : listOf(value["enum"]);
		const types = [value["type"]].flat().filter((type) => type !== "null");
		const given = typeof types[0] === "string" ? types[0] : undefined;
		const hasItems = isJsonObject(value["items"]);
		const known = choices.filter(isChoice);
		return {
			type:
				given ??
				(properties.length > 0
					? "object"
					: hasItems
						? "array"
						: known[0] === undefined
							? undefined
							: typeof known[0]),
			properties: Object.fromEntries(properties),
			required: listOf(value["required"]).filter((name) => typeof name === "string"),
			items: hasItems ? this.read(value["items"], depth + 1) : undefined,
			choices: known,
			hasDefault: "default" in value,
			words: [value["title"], value["description"], value["format"], value["example"], value["examples"]]
				.flat()
				.filter((word) => typeof word === "string")
				.join(" "),
			format: typeof value["format"] === "string" ? value["format"] : undefined,
		};
	}
}

/** What fulfils two schemas. */
function both(left: ReadSchema, right: ReadSchema): ReadSchema {
	return {
		type: left.type ?? right.type,
		properties: { ...left.properties, ...right.properties },
		required: [...left.required, ...right.required],
		items: left.items ?? right.items,
		choices: left.choices.length > 0 ? left.choices : right.choices,
		hasDefault: left.hasDefault || right.hasDefault,
		words: `${left.words} ${right.words}`.trim(),
		format: left.format ?? right.format,
	};
}

/** What fulfils one of two schemas: only what both need is needed. */
function either(left: ReadSchema, right: ReadSchema): ReadSchema {
	const isClosed = left.choices.length > 0 && right.choices.length > 0;
	return {
		...both(left, right),
		required: left.required.filter((name) => right.required.includes(name)),
		choices: isClosed ? [...left.choices, ...right.choices] : [],
	};
}

function isChoice(value: unknown): value is Choice {
	return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A value as a list; what is none is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

/** A name in a JSON pointer in a URL (RFC 6901, section 6). */
function unescaped(name: string): string {
	const plain = name.replaceAll("~1", "/").replaceAll("~0", "~");
	try {
		return decodeURIComponent(plain);
	} catch {
		return plain;
	}
}
