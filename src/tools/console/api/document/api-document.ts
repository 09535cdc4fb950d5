export interface ApiDocument {
	/** The first server's URL; `undefined` for a template. */
	readonly serverUrl: string | undefined;
	/** The operations by area, in the document's order. */
	readonly groups: readonly OperationGroup[];
}

/** The operations of one area: those whose ids begin with its name. */
export interface OperationGroup {
	readonly name: string;
	readonly operations: readonly ApiOperation[];
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface ApiOperation {
	readonly id: string;
	readonly method: Method;
	readonly path: string;
	readonly summary: string;
	readonly description: string;
	/** Whether the specification documents it, and where; or why it is assumed. */
	readonly provenance: { readonly isKnown: boolean; readonly reason: string };
	readonly isSigned: boolean;
	/** Whether a successful response has the envelope of the specification, section 2.1. */
	readonly hasEnvelope: boolean;
	/** The client's typed methods, e.g. `messages.sendText`. */
	readonly sdkMethods?: readonly string[];
	/** The parameters in the path and the query; without the signed headers. */
	readonly parameters: readonly Parameter[];
	/** The JSON body; `undefined` for an operation without one. */
	readonly body: ResolvedSchema | undefined;
	readonly responses: readonly ResponseDescription[];
}

export interface Parameter {
	readonly name: string;
	readonly place: "path" | "query";
	readonly isRequired: boolean;
	readonly schema: ResolvedSchema;
}

/** A status that an operation responds with. */
export interface ResponseDescription {
	readonly status: string;
	readonly description: string;
	/** The error codes of this status and their meanings. */
	readonly errors: readonly { readonly code: string; readonly meaning: string }[];
}

/** A schema of the document with its references resolved. */
export interface ResolvedSchema {
	/** The accepted JSON types; empty for every type. */
	readonly types: readonly string[];
	readonly description: string | undefined;
	/** The accepted values, if they are listed. */
	readonly choices: readonly unknown[] | undefined;
	readonly examples: readonly unknown[];
	readonly pattern: string | undefined;
	readonly format: string | undefined;
	/** The length of strings, the number of items in arrays, or the value of numbers. */
	readonly minimum: number | undefined;
	readonly maximum: number | undefined;
	readonly items: ResolvedSchema | undefined;
	readonly properties: Readonly<Record<string, ResolvedSchema>>;
	readonly required: readonly string[];
	/** Whether an object may have fields that are not in `properties`. */
	readonly isOpen: boolean;
	/** Fields that require other fields. */
	readonly dependentRequired: Readonly<Record<string, readonly string[]>>;
	readonly oneOf: readonly ResolvedSchema[];
	readonly anyOf: readonly ResolvedSchema[];
}
