import type { JsonSchema } from "./read-schema.ts";

/** The parts of an OpenAPI document that the page shows. */
export interface ApiDocument {
	readonly title: string;
	readonly version: string;
	/** The first server's URL; `undefined` for a template. */
	readonly serverUrl: string | undefined;
	/** The operations by their first tag, in the document's order. Tags without operations are left out. */
	readonly groups: readonly OperationGroup[];
}

/** The operations of one tag. */
export interface OperationGroup {
	readonly name: string;
	readonly description: string;
	readonly operations: readonly ApiOperation[];
}

/** The methods that the client sends. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface ApiOperation {
	/** The operation's id, e.g. `messages.sendText`. */
	readonly id: string;
	readonly method: Method;
	/** The path template. */
	readonly path: string;
	readonly summary: string;
	readonly description: string;
	readonly provenance: Provenance;
	readonly isSigned: boolean;
	/** Whether a successful response has the envelope of the specification, section 2.1. */
	readonly hasEnvelope: boolean;
	/** The parameters in the path and the query; without the signed headers. */
	readonly parameters: readonly Parameter[];
	/** The JSON body; `undefined` for an operation without one. */
	readonly body: JsonSchema | undefined;
	readonly responses: readonly ResponseDescription[];
}

/** Whether the specification documents an operation. */
export interface Provenance {
	readonly isKnown: boolean;
	/** Where the specification documents it, or why it is assumed. */
	readonly reason: string;
}

/** A parameter in the path or the query. */
export interface Parameter {
	readonly name: string;
	readonly place: "path" | "query";
	readonly isRequired: boolean;
	readonly description: string | undefined;
	readonly schema: JsonSchema;
}

/** A status that an operation responds with. */
export interface ResponseDescription {
	readonly status: string;
	readonly description: string;
	/** The error codes of this status and their meanings. */
	readonly errors: readonly { readonly code: string; readonly meaning: string }[];
}
