import { Ajv2020 } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import type {
	Content,
	JsonSchema,
	OpenApiDocument,
	OperationObject,
	ParameterObject,
	Reference,
	ResponseObject,
} from "../../src/tools/openapi/document.ts";

/** An operation with its method and path. */
export interface PlacedOperation {
	path: string;
	method: string;
	operation: OperationObject;
}

/** The operations of a document, by id. */
export function operationsById({ paths }: OpenApiDocument): Map<string, PlacedOperation> {
	const placed = Object.entries(paths).flatMap(([path, item]) =>
		Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
	);
	return new Map(placed.map((entry) => [entry.operation.operationId, entry]));
}

/** The target of a reference in a document. */
export function resolveReference<Part extends object>(document: object, part: Part | Reference): Part {
	if (!("$ref" in part)) return part;
	const names = String(part.$ref).replace(/^#\//, "").split("/");
	// A name with a slash or a tilde would be escaped; none of ours has one.
	const target = names.reduce<unknown>(
		(value, name) => (value as Record<string, unknown> | undefined)?.[name],
		document,
	);
	if (target === undefined) throw new Error(`${part.$ref} points to nothing`);
	return target as Part;
}

/** The parameters of an operation. */
export function parametersOf(document: OpenApiDocument, { operation }: PlacedOperation): ParameterObject[] {
	return (operation.parameters ?? []).map((parameter) =>
		resolveReference<ParameterObject>(document, parameter),
	);
}

/** The schema of JSON in a body. */
export function jsonSchemaOf(content: Content | undefined): JsonSchema | undefined {
	return content?.["application/json"]?.schema;
}

/** The response that a document has for a status. */
export function responseOf(
	document: OpenApiDocument,
	{ operation }: PlacedOperation,
	status: number,
): ResponseObject | undefined {
	const response = operation.responses[status];
	return response && resolveReference<ResponseObject>(document, response);
}

/** The part of a document that its schemas refer to. */
interface DocumentWithSchemas {
	components: Pick<OpenApiDocument["components"], "schemas">;
}

/** The errors of a JSON Schema validator for a value and a schema of a document. */
export function createSchemaChecker({ components }: DocumentWithSchemas) {
	// One target out of three is demanded in a part of the schema that does not list the fields.
	const lenient = { allowUnionTypes: true, strictRequired: false };
	const ajv = new Ajv2020({ strict: true, ...lenient, allErrors: true, formats: fullFormats });
	// So that references of a schema find the components.
	ajv.addKeyword("components");
	return (schema: JsonSchema, value: unknown): string[] => {
		const validate = ajv.compile({ ...schema, components: { schemas: components.schemas } });
		validate(value);
		return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
	};
}
