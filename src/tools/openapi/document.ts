import type { RetryClass } from "../../library/catalogue/operation.ts";
import type { SignatureHeaders } from "../../library/signing/dialect.ts";

/** An OpenAPI 3.1 document, with the parts of the format that ours uses. */
export interface OpenApiDocument {
	openapi: "3.1.1";
	info: InfoObject;
	servers: ServerObject[];
	tags: { name: string; description: string }[];
	paths: Record<string, PathItem>;
	webhooks: Record<string, PathItem>;
	components: {
		schemas: Record<string, JsonSchema>;
		responses: Record<string, ResponseObject>;
		parameters: Record<string, ParameterObject>;
		securitySchemes: Record<string, SecurityScheme>;
	};
}

/** The title, version and licence of the document. */
export interface InfoObject {
	title: string;
	version: string;
	description: string;
	contact: { name: string; url?: string };
	/** The name and its SPDX identifier. */
	license: { name: string; identifier: string };
}

/** A server of the API. */
export interface ServerObject {
	url: string;
	description?: string;
	variables?: Record<string, { default: string; description: string }>;
}

/** The operations of a path, by method. */
export type PathItem = Partial<Record<"get" | "post" | "put" | "patch" | "delete", OperationObject>>;

/** Whether the specification shows a part, or whether it is our assumption. */
export type ProvenanceMark = "documented" | "provisional";

/** An operation, or a webhook. */
export interface OperationObject {
	/** The id in the catalogue, or `webhooks.` and the name of the event. */
	operationId: string;
	tags: string[];
	summary: string;
	description: string;
	"x-provenance": ProvenanceMark;
	/** The section of the specification that shows it, or the reason why none does. */
	"x-specification": string;
	/** When a client may retry it; absent for webhooks. */
	"x-retry"?: RetryClass;
	/** A field whose presence forbids every retry. */
	"x-never-retry-with"?: string;
	/** The client's methods for it; absent for webhooks, and where a profile has changed the method or path. */
	"x-sdk-methods"?: readonly string[];
	/** Empty if no signature is needed. */
	security: Record<string, string[]>[];
	parameters?: (ParameterObject | Reference)[];
	requestBody?: RequestBodyObject;
	/** By status, or `2XX`. */
	responses: Record<string, ResponseObject | Reference>;
}

/** A value in the path, the query or the headers. */
export interface ParameterObject {
	name: string;
	in: "path" | "query" | "header";
	required: boolean;
	description?: string;
	schema: JsonSchema;
	example?: unknown;
}

/** The body of a request. */
export interface RequestBodyObject {
	required: boolean;
	content: Content;
}

/** A response of an operation, or one that operations share. */
export interface ResponseObject {
	description: string;
	"x-provenance": ProvenanceMark;
	/** What the specification shows of a shared response. */
	"x-specification"?: string;
	/** The values of `error.code` that come with this status. */
	"x-error-codes"?: string[];
	headers?: Record<string, { description: string; schema: JsonSchema }>;
	content?: Content;
}

/** One of the headers of a signed request: OpenAPI has no scheme for an HMAC. */
export interface SecurityScheme {
	type: "apiKey";
	in: "header";
	name: keyof SignatureHeaders;
	description: string;
	/** How the signature is made; in the scheme of `Authorization`. */
	"x-signing"?: Record<string, string>;
}

/** Schemas by media type, those of requests with an example. */
export type Content = Record<string, { schema: JsonSchema; example?: unknown }>;

/** Refers to a part of `components`. */
export interface Reference {
	$ref: string;
}

/** A schema of JSON Schema 2020-12, which OpenAPI 3.1 uses. */
export interface JsonSchema {
	$ref?: string;
	description?: string;
	type?: string | string[];
	properties?: Record<string, JsonSchema>;
	required?: string[];
	[keyword: string]: unknown;
}
