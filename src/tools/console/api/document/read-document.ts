import { asList, asObject, asString, asStrings, type JsonObject } from "../../parts/json-value.ts";
import type {
	ApiDocument,
	ApiOperation,
	Method,
	OperationGroup,
	Parameter,
	ResponseDescription,
} from "./api-document.ts";
import { readSchema } from "./read-schema.ts";
import { dereference } from "./reference.ts";

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Reads an OpenAPI document. Parts that are missing or have another shape are left out. */
export function readDocument(document: unknown): ApiDocument {
	const { info, servers, tags, paths } = asObject(document);
	const operations = Object.entries(asObject(paths)).flatMap(([path, item]) =>
		readPath(document, path, asObject(item)),
	);
	const url = asString(asObject(asList(servers)[0])["url"]);
	return {
		title: asString(asObject(info)["title"]) ?? "API",
		version: asString(asObject(info)["version"]) ?? "",
		serverUrl: url?.includes("{") === true ? undefined : url,
		groups: groupByTag(operations, asList(tags).map(asObject)),
	};
}

export function findOperation(document: ApiDocument, id: string): ApiOperation | undefined {
	return document.groups.flatMap(({ operations }) => operations).find((operation) => operation.id === id);
}

interface TaggedOperation {
	readonly tag: string;
	readonly operation: ApiOperation;
}

function readPath(document: unknown, path: string, item: JsonObject): TaggedOperation[] {
	return METHODS.flatMap((method) => {
		const source = item[method.toLowerCase()];
		if (source === undefined) return [];
		const operation = asObject(source);
		const tag = asStrings(operation["tags"])[0] ?? "other";
		return [{ tag, operation: readOperation(document, method, path, operation) }];
	});
}

function readOperation(document: unknown, method: Method, path: string, source: JsonObject): ApiOperation {
	const parameters = asList(source["parameters"]).map((parameter) => dereference(document, parameter));
	const content = asObject(dereference(document, source["requestBody"])["content"]);
	const body = asObject(content["application/json"])["schema"];
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
		parameters: parameters.flatMap((parameter) => readParameter(document, parameter)),
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
	return [
		{
			name: asString(source["name"]) ?? "",
			place,
			isRequired: place === "path" || source["required"] === true,
			description: asString(source["description"]),
			schema: readSchema(document, source["schema"]),
		},
	];
}

/** Whether a successful response has the envelope; assumed if the document does not describe the response. */
function hasEnvelope(document: unknown, responses: JsonObject): boolean {
	const success = Object.keys(responses).find((status) => status.startsWith("2"));
	const contents = Object.values(asObject(dereference(document, responses[success ?? ""])["content"]));
	if (contents.length === 0) return true;
	return contents.some((content) => {
		const { properties } = readSchema(document, asObject(content)["schema"]);
		return Object.hasOwn(properties, "ok") && Object.hasOwn(properties, "data");
	});
}

function readResponse(status: string, source: JsonObject): ResponseDescription {
	const description = asString(source["description"]) ?? "";
	const meanings = new Map(
		Array.from(description.matchAll(/^- `([^`]+)`: (.*)$/gm), ([, code = "", meaning = ""]) => [
			code,
			meaning,
		]),
	);
	const codes = asStrings(source["x-error-codes"]);
	return {
		status,
		description: codes.length > 0 && meanings.size > 0 ? "" : description,
		errors: codes.map((code) => ({ code, meaning: meanings.get(code) ?? "" })),
	};
}

function groupByTag(tagged: readonly TaggedOperation[], tags: readonly JsonObject[]): OperationGroup[] {
	const names = new Set([...tags.map(({ name }) => asString(name) ?? ""), ...tagged.map(({ tag }) => tag)]);
	return [...names]
		.map((name) => ({
			name,
			description: asString(tags.find((tag) => tag["name"] === name)?.["description"]) ?? "",
			operations: tagged.filter(({ tag }) => tag === name).map(({ operation }) => operation),
		}))
		.filter(({ operations }) => operations.length > 0);
}
