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
import { INTERFACE_DOCS } from "../../openapi/interface-docs.ts";
import { createSchemaWriter, type SchemaWriter } from "../../openapi/json-schemas.ts";
import { ACTIONS } from "../actions.ts";
import { CONTROL_VERSION, CONTROL_VERSION_HEADER, type ControlProblemCode } from "../contract.ts";
import {
	COMMON_ERRORS,
	CONTROL_ROUTES,
	type ControlResults,
	type ControlRoute,
	type ControlRouteId,
} from "../http/control-routes.ts";
import { PROBLEM_STATUSES } from "../http/responses.ts";
import { problemSchema, RESULT_SCHEMAS } from "./result-schemas.ts";

/** The control routes of a local gateway as OpenAPI 3.1. */
export interface ControlDocument extends Pick<OpenApiDocument, "openapi" | "info" | "servers" | "tags"> {
	security: Record<string, string[]>[];
	paths: Record<string, Partial<Record<"get" | "post", ControlOperation>>>;
	components: {
		schemas: Record<string, JsonSchema>;
		responses: Record<string, ControlResponse>;
		headers: Record<string, { description: string; schema: JsonSchema }>;
		securitySchemes: Record<string, { type: "http"; scheme: "bearer"; description: string }>;
	};
}

/** What a control route does. */
export interface ControlOperation {
	operationId: ControlRouteId;
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

/** The media types of what is no value of the contract. */
const OTHER_CONTENT: Readonly<Record<Exclude<ControlRouteId, keyof ControlResults>, Content>> = {
	getRequestTest: { "text/plain": { schema: { type: "string" } } },
	getConversationTest: { "text/plain": { schema: { type: "string" } } },
	getAttachment: { "*/*": { schema: {} } },
	streamChanges: { "text/event-stream": { schema: { type: "string" } } },
	getOpenApiDocument: { "application/json": { schema: { type: "object" } } },
};

/** Describes the control routes, from what serves them. Equal options make equal documents. */
export function createControlDocument(options: ControlDocumentOptions = {}): ControlDocument {
	const writer = createSchemaWriter();
	const responses: Record<string, ControlResponse> = {};
	const paths: ControlDocument["paths"] = {};
	for (const route of CONTROL_ROUTES) {
		const method = route.method === "GET" ? "get" : "post";
		paths[route.path] = { ...paths[route.path], [method]: describeRoute(route, writer, responses) };
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

function describeRoute(
	route: ControlRoute & { id: ControlRouteId },
	writer: SchemaWriter,
	shared: Record<string, ControlResponse>,
): ControlOperation {
	const { id, summary } = route;
	return {
		operationId: id,
		tags: [TAG.name],
		summary,
		description: summary,
		parameters: describeParameters(route),
		...(id === "act" ? { requestBody: describeActions(writer) } : {}),
		responses: {
			200: respondWith("Done.", describeContent(id, writer)),
			...describeErrors(route, writer, shared),
		},
	};
}

function describeParameters({ path, query = {} }: ControlRoute): ParameterObject[] {
	const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]): ParameterObject => {
		return { name, in: "path", required: true, schema: { type: "string", pattern: "^[\\w-]+$" } };
	});
	const inQuery = Object.entries(query).map(([name, { schema, isRequired = false }]): ParameterObject => {
		const { description = INTERFACE_DOCS[`PageQuery.${name}`] ?? "", ...type } = schema;
		return { name, in: "query", required: isRequired, description, schema: type };
	});
	return [...inPath, ...inQuery];
}

function describeContent(id: ControlRouteId, writer: SchemaWriter): Content {
	if (!hasSchema(id)) return OTHER_CONTENT[id];
	return { "application/json": { schema: writer.write(RESULT_SCHEMAS[id]) } };
}

function hasSchema(id: ControlRouteId): id is keyof ControlResults {
	return Object.hasOwn(RESULT_SCHEMAS, id);
}

function describeActions(writer: SchemaWriter): NonNullable<ControlOperation["requestBody"]> {
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
	{ errors = [] }: ControlRoute,
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
