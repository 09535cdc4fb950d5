import type { HttpMethod } from "../../../library/catalogue/operation.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { listOf, type ReadSchema, SchemaReader } from "./read-schema.ts";

/** A route of a gateway's document. */
export interface DocumentRoute {
	readonly method: HttpMethod;
	/** The template, whose parameters have names that a profile can say. */
	readonly path: string;
	/** The name that its author gave it; empty without one. */
	readonly name: string;
	readonly summary: string;
	readonly isDeprecated: boolean;
	readonly parameters: readonly DocumentParameter[];
	/** The JSON body, or `"other"` for one that is not JSON. */
	readonly body: ReadSchema | "other" | undefined;
	/** What a success responds with, without its envelope; `undefined` if the document does not say. */
	readonly response: ReadSchema | undefined;
	/** The whole of a success with an envelope. */
	readonly envelope: ReadSchema | undefined;
	/** Whether a success has no body. */
	readonly isEmpty: boolean;
}

/** A parameter in the path, the query or a header. */
export interface DocumentParameter {
	readonly place: "path" | "query" | "header";
	readonly name: string;
	readonly isRequired: boolean;
	readonly schema: ReadSchema;
}

const METHODS: readonly HttpMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The routes of an OpenAPI document: version 2, 3.0 or 3.1. */
export function readRoutes(document: unknown): DocumentRoute[] {
	const paths = isJsonObject(document) && isJsonObject(document["paths"]) ? document["paths"] : {};
	const reader = new SchemaReader(document);
	return Object.entries(paths).flatMap(([path, given]) => {
		const item = reader.resolve(given);
		if (!isJsonObject(item)) return [];
		return METHODS.flatMap((method) => {
			const operation = reader.resolve(item[method.toLowerCase()]);
			if (!isJsonObject(operation)) return [];
			return [readRoute(reader, { method, path, operation, shared: listOf(item["parameters"]) })];
		});
	});
}

interface GivenRoute {
	readonly method: HttpMethod;
	readonly path: string;
	readonly operation: Readonly<Record<string, unknown>>;
	readonly shared: readonly unknown[];
}

function readRoute(reader: SchemaReader, { method, path, operation, shared }: GivenRoute): DocumentRoute {
	const given = [...shared, ...listOf(operation["parameters"])]
		.map((parameter) => reader.resolve(parameter))
		.filter(isJsonObject);
	const response = findResponse(reader, operation["responses"]);
	const schema = response === undefined ? undefined : readContent(reader, response);
	return {
		method,
		path: withParameterNames(path),
		name: textOf(operation["operationId"]),
		summary: `${textOf(operation["summary"])} ${textOf(operation["description"]).slice(0, 200)}`.trim(),
		isDeprecated: operation["deprecated"] === true,
		parameters: given.flatMap((parameter) => readParameter(reader, parameter)),
		body: readBody(reader, operation, given),
		response: schema === undefined || schema === "other" ? undefined : withoutEnvelope(schema),
		envelope:
			schema === undefined || schema === "other" || withoutEnvelope(schema) === schema ? undefined : schema,
		isEmpty: response !== undefined && response["isEmpty"] === true,
	};
}

/** Names of a template as a profile writes them: letters, digits and underscores. */
function withParameterNames(path: string): string {
	return path.replace(/\{([^{}]*)\}|:(\w+)/g, (_, braced?: string, plain?: string) =>
		braced === undefined ? `{${plain}}` : `{${wordName(braced)}}`,
	);
}

function wordName(name: string): string {
	return name.replace(/\W/g, "_");
}

function readParameter(
	reader: SchemaReader,
	parameter: Readonly<Record<string, unknown>>,
): DocumentParameter[] {
	const { in: place, name, required, schema, description = "", example = "" } = parameter;
	if (typeof name !== "string" || (place !== "path" && place !== "query" && place !== "header")) return [];
	// Version 2 writes the type beside the name.
	const read = reader.read(isJsonObject(schema) ? schema : parameter);
	const words = `${read.words} ${textOf(description)} ${textOf(example)}`;
	const isRequired = place === "path" || required === true;
	return [{ place, name: place === "path" ? wordName(name) : name, isRequired, schema: { ...read, words } }];
}

function readBody(
	reader: SchemaReader,
	operation: Readonly<Record<string, unknown>>,
	parameters: readonly Readonly<Record<string, unknown>>[],
): DocumentRoute["body"] {
	if (parameters.some(({ in: place }) => place === "formData")) return "other";
	const inBody = parameters.find(({ in: place }) => place === "body");
	if (inBody !== undefined) return reader.read(inBody["schema"]);
	const body = reader.resolve(operation["requestBody"]);
	return isJsonObject(body) ? readContent(reader, body) : undefined;
}

/** The schema of JSON content, or of version 2, which has no content. */
function readContent(
	reader: SchemaReader,
	holder: Readonly<Record<string, unknown>>,
): ReadSchema | "other" | undefined {
	if (!isJsonObject(holder["content"])) {
		return isJsonObject(holder["schema"]) ? reader.read(holder["schema"]) : undefined;
	}
	const types = Object.entries(holder["content"]);
	const found = types.find(([type]) => /[/+]json\b|^\*\/\*$/i.test(type))?.[1];
	const media = reader.resolve(found);
	if (isJsonObject(media)) return isJsonObject(media["schema"]) ? reader.read(media["schema"]) : undefined;
	return types.length > 0 ? "other" : undefined;
}

/** The response of the first success. */
function findResponse(
	reader: SchemaReader,
	responses: unknown,
): Readonly<Record<string, unknown>> | undefined {
	const entries = Object.entries(isJsonObject(responses) ? responses : {});
	const [status, given] = entries.find(([code]) => /^2/.test(code)) ?? [];
	const response = reader.resolve(given);
	if (!isJsonObject(response)) return undefined;
	return status === "204" ? { ...response, isEmpty: true } : response;
}

/** What is inside of the success envelope (specification, section 2.1), if the document shows it. */
function withoutEnvelope(schema: ReadSchema): ReadSchema {
	const { data, ok, success, meta } = schema.properties;
	return data !== undefined && (ok ?? success ?? meta) !== undefined ? data : schema;
}

function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}
