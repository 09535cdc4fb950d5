import type { JsonSchema } from "./read-schema.ts";

/** What the page shows of an OpenAPI document. */
export interface ApiDocument {
	readonly title: string;
	readonly version: string;
	/** The first server's address, where it is one. */
	readonly serverUrl: string | undefined;
	/** The operations by their first tag, in the document's order. Tags without any are left out. */
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

/** One operation. */
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
	/** Whether a success comes in the envelope of the specification, section 2.1. */
	readonly hasEnvelope: boolean;
	/** What goes into the path and the query; the signed headers are not among them. */
	readonly parameters: readonly Parameter[];
	/** The JSON body; `undefined` for an operation without one. */
	readonly body: JsonSchema | undefined;
	readonly answers: readonly ResponseDescription[];
}

/** Whether the specification shows a thing. */
export interface Provenance {
	readonly isKnown: boolean;
	/** Where the specification shows it, or why it does not. */
	readonly reason: string;
}

/** A value in the path or the query. */
export interface Parameter {
	readonly name: string;
	readonly place: "path" | "query";
	readonly isRequired: boolean;
	readonly description: string | undefined;
	readonly schema: JsonSchema;
}

/** One status that an operation answers with. */
export interface ResponseDescription {
	readonly status: string;
	readonly description: string;
	/** What each error code of this status means. */
	readonly errors: readonly { readonly code: string; readonly meaning: string }[];
}
