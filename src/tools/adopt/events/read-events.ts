import { isJsonObject } from "../../../library/is-object.ts";
import { listOf, type ReadSchema, SchemaReader } from "../document/read-schema.ts";

/** An event that a gateway's document describes: one shape of its payload. */
export interface DocumentEvent {
	/** The name that its author gave it. */
	readonly name: string;
	/** Its name and what is said of it. */
	readonly words: string;
	/** `undefined` for a body that is not JSON, or not described. */
	readonly payload: ReadSchema | undefined;
	/** A header that says which event it is. */
	readonly typeHeader: string | undefined;
}

const METHODS = ["post", "put", "patch", "get"];
const TYPE_HEADER = /(event|topic|hook|message)[-_]?(type|name|key)|[-_](event|topic)$/i;

/** The events of an OpenAPI document: `webhooks` of 3.1, which others write as `x-webhooks`, and `callbacks` of 3.0 and 3.1. */
export function readEvents(document: unknown): DocumentEvent[] {
	if (!isJsonObject(document)) return [];
	const reader = new SchemaReader(document);
	const hooks = ["webhooks", "x-webhooks"].flatMap((name) => entriesOf(document[name]));
	const routes = entriesOf(document["paths"]).flatMap(([, path]) => {
		const item = reader.resolve(path);
		return isJsonObject(item) ? Object.values(item) : [];
	});
	const callbacks = routes
		.flatMap((route) => (isJsonObject(route) ? entriesOf(route["callbacks"]) : []))
		.flatMap(([name, callback]) =>
			entriesOf(reader.resolve(callback)).map(([, item]) => [name, item] as const),
		);
	const events = [...hooks, ...callbacks].flatMap(([name, item]) => readItem(reader, name, item));
	// A callback stands at each operation that takes its URL.
	const seen = new Map(events.map((event) => [JSON.stringify(event), event]));
	return [...seen.values()];
}

function readItem(reader: SchemaReader, name: string, given: unknown): DocumentEvent[] {
	const item = reader.resolve(given);
	const operation = isJsonObject(item)
		? METHODS.map((method) => reader.resolve(item[method])).find(isJsonObject)
		: undefined;
	if (operation === undefined) return [];
	const said = [operation["operationId"], operation["summary"], operation["description"]];
	const words = [name, ...said].filter((part) => typeof part === "string").join(" ");
	const body = reader.resolve(operation["requestBody"]);
	const schemas = isJsonObject(body) ? contentsOf(reader, body["content"]) : [];
	const headers = listOf(operation["parameters"]).map((parameter) => reader.resolve(parameter));
	const header = headers.find(
		(each) => isJsonObject(each) && each["in"] === "header" && TYPE_HEADER.test(String(each["name"])),
	);
	const typeHeader = isJsonObject(header) ? String(header["name"]) : undefined;
	if (schemas.length === 0) return [{ name, words, payload: undefined, typeHeader }];
	return schemas.map((payload) => ({ name, words: `${words} ${payload.words}`, payload, typeHeader }));
}

/** The JSON schemas of a body: one for each alternative. */
function contentsOf(reader: SchemaReader, content: unknown): ReadSchema[] {
	const found = entriesOf(content).find(([type]) => /[/+]json\b|^\*\/\*$/i.test(type))?.[1];
	const media = reader.resolve(found);
	return isJsonObject(media) ? alternativesOf(reader, media["schema"], 0) : [];
}

/** The most levels of alternatives inside of alternatives. */
const MAX_LEVELS = 3;

function alternativesOf(reader: SchemaReader, given: unknown, level: number): ReadSchema[] {
	const schema = reader.resolve(given);
	if (!isJsonObject(schema)) return [];
	const options = [...listOf(schema["oneOf"]), ...listOf(schema["anyOf"])].filter(
		(option) => !isJsonObject(option) || option["type"] !== "null",
	);
	if (options.length < 2 || level > MAX_LEVELS) return [reader.read(given)];
	const { oneOf: _, anyOf: __, discriminator, ...rest } = schema;
	return options.flatMap((option) => {
		const marked = markOf(discriminator, option);
		return alternativesOf(reader, option, level + 1).map((read) =>
			withMark(withBase(reader.read(rest), read), marked),
		);
	});
}

/** What stands beside the alternatives is part of each. */
function withBase(base: ReadSchema, read: ReadSchema): ReadSchema {
	return {
		...read,
		properties: { ...base.properties, ...read.properties },
		required: [...base.required, ...read.required],
	};
}

/** The value by which a discriminator knows an alternative (OpenAPI 3.1, section 4.8.25). */
function markOf(discriminator: unknown, option: unknown): { name: string; value: string } | undefined {
	if (!isJsonObject(discriminator) || !isJsonObject(option)) return undefined;
	const { propertyName: name, mapping } = discriminator;
	const reference = option["$ref"];
	if (typeof name !== "string" || typeof reference !== "string") return undefined;
	const last = (pointer: unknown): string | undefined => String(pointer).split("/").at(-1);
	const mapped = entriesOf(mapping).find(([, target]) => last(target) === last(reference))?.[0];
	const value = mapped ?? last(reference);
	return value === undefined ? undefined : { name, value };
}

function withMark(schema: ReadSchema, mark: { name: string; value: string } | undefined): ReadSchema {
	const known = mark === undefined ? undefined : schema.properties[mark.name];
	if (mark === undefined || known === undefined || known.choices.length === 1) return schema;
	const marked: ReadSchema = { ...known, choices: [mark.value] };
	return { ...schema, properties: { ...schema.properties, [mark.name]: marked } };
}

function entriesOf(value: unknown): [string, unknown][] {
	return isJsonObject(value) ? Object.entries(value) : [];
}
