import { asList, asNumber, asObject, asString, asStrings, type JsonObject } from "../../parts/json-value.ts";
import type {
	ApiDocument,
	ApiOperation,
	Method,
	Parameter,
	ResolvedSchema,
	ResponseDescription,
} from "./api-document.ts";

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Deeper than any request; at this depth a recursive schema accepts anything. */
const MAX_DEPTH = 8;

/** Reads an OpenAPI document. Parts that are missing or have another shape are left out. */
export function readDocument(document: unknown): ApiDocument {
	const { servers, paths } = asObject(document);
	const operations = Object.entries(asObject(paths)).flatMap(([path, item]) =>
		METHODS.flatMap((method) => {
			const source = asObject(item)[method.toLowerCase()];
			return source === undefined ? [] : [readOperation(document, method, path, asObject(source))];
		}),
	);
	const groups = Map.groupBy(operations, ({ id }) => id.slice(0, id.lastIndexOf(".")));
	const url = asString(asObject(asList(servers)[0])["url"]);
	return {
		serverUrl: url?.includes("{") === true ? undefined : url,
		groups: Array.from(groups, ([name, members]) => ({ name, operations: members })),
	};
}

/** An operation by its id. Operations of one method and path are one in the document. */
export function findApiOperation(document: ApiDocument, id: string): ApiOperation | undefined {
	const all = document.groups.flatMap(({ operations }) => operations);
	return all.find((operation) => operation.id.split("_or_").includes(id));
}

function readOperation(document: unknown, method: Method, path: string, source: JsonObject): ApiOperation {
	const body = schemaOf(dereference(document, source["requestBody"]));
	return {
		id: asString(source["operationId"]) ?? `${method} ${path}`,
		method,
		path,
		summary: asString(source["summary"]) ?? "",
		description: asString(source["description"]) ?? "",
		provenance: {
			isKnown: source["x-provenance"] === "documented",
			reason: asString(source["x-specification"]) ?? "",
		},
		isSigned: asList(source["security"] ?? asObject(document)["security"]).length > 0,
		hasEnvelope: hasEnvelope(document, asObject(source["responses"])),
		sdkMethods: asStrings(source["x-sdk-methods"]),
		parameters: asList(source["parameters"]).flatMap((parameter) =>
			readParameter(document, dereference(document, parameter)),
		),
		body: body === undefined ? undefined : readSchema(document, body),
		responses: Object.entries(asObject(source["responses"])).map(([status, response]) =>
			readResponse(status, dereference(document, response)),
		),
	};
}

/** Returns no parameter for headers, which the signer creates. */
function readParameter(document: unknown, source: JsonObject): Parameter[] {
	const place = source["in"];
	if (place !== "path" && place !== "query") return [];
	const schema = readSchema(document, source["schema"]);
	return [
		{
			name: asString(source["name"]) ?? "",
			place,
			isRequired: place === "path" || source["required"] === true,
			schema: { ...schema, description: asString(source["description"]) ?? schema.description },
		},
	];
}

/** Whether a successful response has the envelope; assumed if the document does not describe the response. */
function hasEnvelope(document: unknown, responses: JsonObject): boolean {
	const success = Object.keys(responses).find((status) => status.startsWith("2"));
	const schema = schemaOf(dereference(document, responses[success ?? ""]));
	if (schema === undefined) return true;
	const { properties } = readSchema(document, schema);
	return Object.hasOwn(properties, "ok") && Object.hasOwn(properties, "data");
}

/** The schema of a request or response: of its first media type, which is JSON. */
function schemaOf({ content }: JsonObject): unknown {
	return asObject(Object.values(asObject(content))[0])["schema"];
}

function readResponse(status: string, source: JsonObject): ResponseDescription {
	const description = asString(source["description"]) ?? "";
	const lines = Array.from(description.matchAll(/^- `([^`]+)`: (.*)$/gm));
	const errors = lines.map(([, code = "", meaning = ""]) => ({ code, meaning }));
	return { status, description: errors.length > 0 ? "" : description, errors };
}

/** Reads a schema of a document. Unknown keywords are left out; the gateway checks everything. */
export function readSchema(document: unknown, value: unknown, depth = 0): ResolvedSchema {
	if (depth > MAX_DEPTH) return readSchema(document, {});
	const schema = dereference(document, value);
	const read = (part: unknown): ResolvedSchema => readSchema(document, part, depth + 1);
	const { type, items, properties, additionalProperties, dependentRequired } = schema;
	return {
		types: typeof type === "string" ? [type] : asStrings(type),
		description: asString(schema["description"]),
		choices: "const" in schema ? [schema["const"]] : "enum" in schema ? asList(schema["enum"]) : undefined,
		examples: asList(schema["examples"]),
		pattern: asString(schema["pattern"]),
		format: asString(schema["format"]),
		minimum: asNumber(schema["minLength"] ?? schema["minItems"] ?? schema["minimum"]),
		maximum: asNumber(schema["maxLength"] ?? schema["maxItems"] ?? schema["maximum"]),
		items: items === undefined ? undefined : read(items),
		properties: mapValues(asObject(properties), read),
		required: asStrings(schema["required"]),
		isOpen: additionalProperties !== false,
		dependentRequired: mapValues(asObject(dependentRequired), asStrings),
		oneOf: asList(schema["oneOf"]).map(read),
		anyOf: asList(schema["anyOf"]).map(read),
	};
}

/** Returns an object of the document with its `$ref` resolved. Fields beside the reference override its target. */
function dereference(document: unknown, value: unknown): JsonObject {
	const { $ref, ...own } = asObject(value);
	if (typeof $ref !== "string") return own;
	const names = $ref.split("/").slice(1);
	const target = names.reduce<unknown>((parent, name) => {
		const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
		return Object.hasOwn(asObject(parent), key) ? asObject(parent)[key] : undefined;
	}, document);
	return { ...asObject(target), ...own };
}

function mapValues<Value>(object: JsonObject, read: (value: unknown) => Value): Record<string, Value> {
	return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, read(value)]));
}
