import { OPERATIONS, type OperationId } from "../../src/library/catalogue/index.ts";
import { type Operation, pathParameters, usesQuery } from "../../src/library/catalogue/operation.ts";
import type { ApiOperation } from "../../src/tools/console/api/document/api-document.ts";
import { findApiOperation, readDocument } from "../../src/tools/console/api/document/read-document.ts";
import type { QueryValue, RequestContent } from "../../src/tools/console/api/form/read-request.ts";
import { createOpenApiDocument } from "../../src/tools/openapi/create-openapi-document.ts";
import { operationSamples } from "./operation-samples.ts";

/** The document as the page gets it: through JSON. */
export const openApiJson: unknown = JSON.parse(JSON.stringify(createOpenApiDocument()));

/** What the page makes of it. */
export const apiDocument = readDocument(openApiJson);

export const operationIds: readonly OperationId[] = OPERATIONS.map(({ id }) => id);

/** An operation of the document. */
export function apiOperation(id: string): ApiOperation {
	const operation = findApiOperation(apiDocument, id);
	if (operation === undefined) throw new Error(`no operation ${id} in the document`);
	return operation;
}

/** The sample of an operation as the page would send it: under the wire's names, in path, query or body. */
export function sampleContent(
	id: OperationId,
	input: Readonly<Record<string, unknown>> = operationSamples[id].input,
): RequestContent {
	const operations: readonly Operation<unknown, unknown>[] = OPERATIONS;
	const { wireNames = {}, path = "", method = "GET" } = operations.find((entry) => entry.id === id) ?? {};
	const inPath = pathParameters(path);
	const fields = Object.entries(input).map(([name, value]) => [wireNames[name] ?? name, value] as const);
	const rest = Object.fromEntries(fields.filter(([name]) => !inPath.includes(name)));
	const isQuery = usesQuery(method);
	return {
		params: Object.fromEntries(fields.filter(([name]) => inPath.includes(name)).map(toText)),
		query: isQuery ? Object.fromEntries(Object.entries(rest).map(toQuery)) : {},
		body: isQuery || Object.keys(rest).length === 0 ? undefined : rest,
	};
}

function toText([name, value]: readonly [string, unknown]): [string, string] {
	return [name, String(value)];
}

function toQuery([name, value]: readonly [string, unknown]): [string, QueryValue] {
	return [name, typeof value === "number" || typeof value === "boolean" ? value : String(value)];
}
