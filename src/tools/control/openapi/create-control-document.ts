import {
	describePackage,
	describeServers,
	type PackageManifest,
	sortKeys,
	UNRELEASED,
} from "../../openapi/create-openapi-document.ts";
import type {
	Content,
	InfoObject,
	JsonSchema,
	OpenApiDocument,
	ParameterObject,
	Reference,
} from "../../openapi/document.ts";
import { createSchemaWriter, type SchemaWriter } from "../../openapi/json-schemas.ts";
import { placeFields } from "../../openapi/operations.ts";
import { CONTROL_VERSION, CONTROL_VERSION_HEADER, type ControlProblemCode } from "../contract.ts";
import { PROBLEM_STATUSES } from "../http/responses.ts";
import { COMMON_ERRORS, CONTROL_OPERATIONS, type ControlOperation } from "../operations.ts";
import type { ControlOperationId, ValueOperationId } from "../routes.ts";
import { ACTIONS } from "../schemas/actions.ts";
import { problemSchema, RESULT_SCHEMAS } from "./result-schemas.ts";

/** The control routes of a local gateway as OpenAPI 3.1. */
export interface ControlDocument extends Pick<OpenApiDocument, "openapi" | "info" | "servers" | "tags"> {
	security: Record<string, string[]>[];
	paths: Record<string, Partial<Record<"get" | "post", OperationDescription>>>;
	components: {
		schemas: Record<string, JsonSchema>;
		responses: Record<string, ControlResponse>;
		headers: Record<string, { description: string; schema: JsonSchema }>;
		securitySchemes: Record<string, { type: "http"; scheme: "bearer"; description: string }>;
	};
}

/** What an operation of the control does. */
export interface OperationDescription {
	operationId: ControlOperationId;
	tags: string[];
	summary: string;
	description: string;
	parameters: ParameterObject[];
	requestBody?: { required: true; content: Content };
	/** By status. */
	responses: Record<string, ControlResponse | Reference>;
}

/** A response of a control route. */
export interface ControlResponse {
	description: string;
	headers: Record<string, Reference>;
	content: Content;
	/** The values of `error.code` that come with this status. */
	"x-error-codes"?: ControlProblemCode[];
}

/** Options of {@link createControlDocument}. */
export interface ControlDocumentOptions {
	/**
	 * The address of the local gateway.
	 * @default its usual one, and a variable to fill in
	 */
	baseUrl?: string | undefined;
	/** The `package.json` of this package. */
	manifest?: PackageManifest | undefined;
}

const TAG = {
	name: "control",
	description: "Play the contact, see what happened, make it fail, and move the clock.",
};

const ABOUT =
	"The control of a local gateway, which `messaging-gateway dev` runs. It is a tool for development: the live service " +
	"has nothing like it. Fields, actions and routes may be added without a new version, so ignore what you do not know.";

const TOKEN = "The control token of the machine, or the one that `messaging-gateway dev` was given.";

/** The schemas of what is no value of the contract, by media type. */
const OTHER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
	"text/plain": { type: "string" },
	"text/event-stream": { type: "string" },
	"application/json": { type: "object" },
};

/** Describes the control routes, from what serves them. Equal options make equal documents. */
export function createControlDocument(options: ControlDocumentOptions = {}): ControlDocument {
	const writer = createSchemaWriter();
	const responses: Record<string, ControlResponse> = {};
	const paths: ControlDocument["paths"] = {};
	for (const operation of Object.values(CONTROL_OPERATIONS)) {
		const method = operation.method === "GET" ? "get" : "post";
		paths[operation.path] = { ...paths[operation.path], [method]: describe(operation, writer, responses) };
	}
	return {
		openapi: "3.1.1",
		info: describeControl(options.manifest),
		servers: describeServers(options.baseUrl),
		tags: [TAG],
		security: [{ controlToken: [] }],
		paths,
		components: {
			schemas: sortKeys(writer.components),
			responses: sortKeys(responses),
			headers: {
				[CONTROL_VERSION_HEADER]: {
					description: "The version of this contract.",
					schema: { const: CONTROL_VERSION },
				},
			},
			securitySchemes: { controlToken: { type: "http", scheme: "bearer", description: TOKEN } },
		},
	};
}

function describeControl(manifest: PackageManifest = UNRELEASED): InfoObject {
	return {
		...describePackage(manifest),
		title: "Control of a local messaging gateway",
		version: CONTROL_VERSION,
		description: ABOUT,
	};
}

function describe(
	operation: ControlOperation,
	writer: SchemaWriter,
	shared: Record<string, ControlResponse>,
): OperationDescription {
	const { id, summary, input } = operation;
	const { parameters } = placeFields(operation, id === "act" ? {} : writer.writeInPlace(input));
	return {
		operationId: id,
		tags: [TAG.name],
		summary,
		description: summary,
		parameters,
		...(id === "act" ? { requestBody: describeActions(writer) } : {}),
		responses: {
			200: respondWith("Done.", describeContent(operation, writer)),
			...describeErrors(operation, writer, shared),
		},
	};
}

function describeContent({ id, mediaType }: ControlOperation, writer: SchemaWriter): Content {
	if (hasSchema(id)) return { "application/json": { schema: writer.write(RESULT_SCHEMAS[id]) } };
	const type = mediaType ?? "*/*";
	return { [type]: { schema: OTHER_SCHEMAS[type] ?? {} } };
}

function hasSchema(id: ControlOperationId): id is ValueOperationId {
	return Object.hasOwn(RESULT_SCHEMAS, id);
}

function describeActions(writer: SchemaWriter): NonNullable<OperationDescription["requestBody"]> {
	const actions = Object.entries(ACTIONS).map(([type, schema]) => [type, writer.write(schema)] as const);
	const mapping = Object.fromEntries(actions.map(([type, { $ref }]) => [type, $ref]));
	const schema = {
		oneOf: actions.map(([, reference]) => reference),
		discriminator: { propertyName: "type", mapping },
	};
	return { required: true, content: { "application/json": { schema } } };
}

/** The errors of a route by status, as references to components that this adds. */
function describeErrors(
	{ errors }: ControlOperation,
	writer: SchemaWriter,
	shared: Record<string, ControlResponse>,
): Record<string, Reference> {
	const byStatus = Map.groupBy([...errors, ...COMMON_ERRORS], (code) => String(PROBLEM_STATUSES[code]));
	const content = { "application/json": { schema: writer.write(problemSchema) } };
	const references = Array.from(byStatus, ([status, codes]): [string, Reference] => {
		const name = codes.join("_or_");
		const description = codes.map((code) => `\`${code}\``).join(" or ");
		shared[name] ??= { ...respondWith(description, content), "x-error-codes": codes };
		return [status, { $ref: `#/components/responses/${name}` }];
	});
	return Object.fromEntries(references);
}

function respondWith(description: string, content: Content): ControlResponse {
	const header = { $ref: `#/components/headers/${CONTROL_VERSION_HEADER}` };
	return { description, headers: { [CONTROL_VERSION_HEADER]: header }, content };
}
