import { assertOneOf } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { parseUrl } from "../host.ts";
import type { KnownGatewayErrorCode } from "./gateway-errors.ts";
import type { Schema } from "./schema.ts";

/** The HTTP methods that operations use. */
export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Whether the client may retry a call after a failure:
 *
 * - `"safe"`: it only reads, so the client retries it after transient failures;
 * - `"idempotent"`: repeating it reaches the same end state, so the client retries it after transient failures;
 * - `"never"`: repeating it may send twice, so the client retries it only if the gateway certainly did not accept it:
 *   after a 429, a 4xx (RFC 9110, section 15.5), or without a connection.
 */
export type RetryClass = "safe" | "idempotent" | "never";

/** The origin of an operation's method and path: the specification, our assumption, or {@link defineOperation}. */
export type Provenance = "documented" | "provisional" | "custom";

/**
 * One operation of the gateway. Its input is one flat object. Fields that the path template names go into the path, the
 * others into the query of a `GET` or `DELETE`, otherwise into the JSON body.
 */
export interface Operation<Input, Data, Id extends string = string> {
	/** Area and name, e.g. `"messages.sendText"`. */
	readonly id: Id;
	/** The HTTP method. */
	readonly method: HttpMethod;
	/** The path template. `{name}` stands for an input field. */
	readonly path: string;
	/** The origin of the method and path. */
	readonly provenance: Provenance;
	/** Whether the client may retry it after a failure. */
	readonly retry: RetryClass;
	/** The input field that makes a call `"never"`, since the first attempt may change the state that it expects. */
	readonly neverRetryWith?: string | undefined;
	/** Checks the input. */
	readonly input: Schema<Input>;
	/** Checks the response's `data`. */
	readonly data: Schema<Data>;
	/** Whether the shape of `data` is documented. Otherwise it is assumed, and a mismatch only warns. */
	readonly isDataDocumented: boolean;
	/** The HTTP status of a success. */
	readonly successStatus: 200 | 201 | 202;
	/** Whether requests carry the signed headers. */
	readonly isSigned: boolean;
	/** Whether responses have the success envelope. */
	readonly hasEnvelope: boolean;
	/** The input fields that have another name on the wire. */
	readonly wireNames: Readonly<Record<string, string>>;
	/** The name of the list in `data`, for operations that return pages. */
	readonly pageItems?: string | undefined;
	/** Whether a success may have no body. A call without one resolves to `undefined`. */
	readonly mayBeEmpty?: boolean | undefined;
	/** The data if a retry gets a 404, because an earlier attempt with a lost response removed the thing. */
	readonly dataWhenGone?: Data | undefined;
}

/** The options of {@link defineOperation}. */
export interface OperationDefinition<Input, Data, Id extends string> {
	/** A name for errors, hooks and logs. */
	id: Id;
	/** The HTTP method. */
	method: HttpMethod;
	/** The path, with `{name}` for input fields that belong in it. */
	path: string;
	/** Checks the input: any Standard Schema. */
	input: Schema<Input>;
	/** Checks the response's `data`: any Standard Schema. */
	data: Schema<Data>;
	/** Whether the client may retry it after a failure. @default "safe" for GET, otherwise "never" */
	retry?: RetryClass | undefined;
	/** Whether requests carry the signed headers. @default true */
	isSigned?: boolean | undefined;
	/** Whether responses have the success envelope. @default true */
	hasEnvelope?: boolean | undefined;
}

/**
 * Declares an operation for `gateway.call(operation, input)`. It gets the same types, checks, signing, retries and
 * errors as the built-in ones.
 *
 * @example
 * ```ts
 * const pinChat = defineOperation({
 *   id: "chats.pin", method: "POST", path: "/chat/{chatGuid}/pin",
 *   input: z.object({ chatGuid: z.string() }), data: z.object({ pinned: z.boolean() }),
 * });
 * const { pinned } = await gateway.call(pinChat, { chatGuid: "c-1" });
 * ```
 * @throws ConfigurationError if the path is not a template that starts with a slash, or the method or retry class is
 * unknown.
 */
export function defineOperation<Input, Data, const Id extends string>(
	definition: OperationDefinition<Input, Data, Id>,
): Operation<Input, Data, Id> {
	const { id, method, path, input, data, isSigned = true, hasEnvelope = true } = definition;
	const { retry = method === "GET" ? "safe" : "never" } = definition;
	assertPathTemplate(path, `operation ${id}`);
	assertHttpMethod(`operation ${id}: method`, method);
	assertOneOf(`operation ${id}: retry`, retry, ["safe", "idempotent", "never"]);
	return operation({ id, method, path, provenance: "custom", retry, input, data, isSigned, hasEnvelope });
}

/** What an entry of the catalogue declares. */
type Declaration<Input, Data, Id extends string> = Pick<
	Operation<Input, Data, Id>,
	"id" | "method" | "path" | "retry" | "input" | "data"
> &
	Partial<Operation<Input, Data, Id>>;

/** Fills in what most operations share. */
export function operation<Input, Data, const Id extends string>(
	declaration: Declaration<Input, Data, Id>,
): Operation<Input, Data, Id> {
	return Object.freeze({
		provenance: "provisional",
		isDataDocumented: (declaration.provenance ?? "provisional") !== "provisional",
		successStatus: 200,
		isSigned: true,
		hasEnvelope: true,
		wireNames: {},
		...declaration,
	} as const);
}

/** What only documents say of an operation: a separate export, so that the client's bundle has none of it. */
export interface OperationDocs {
	/** What it does, in one sentence. */
	readonly summary: string;
	/** The section of the specification that shows it, if one does. */
	readonly section?: string;
	/** The error codes beyond those of every operation. */
	readonly errors?: readonly KnownGatewayErrorCode[];
	/** The client's methods for it. @default the last part of the id */
	readonly methods?: readonly string[];
}

/** The names of a template's path parameters, in order. */
export function pathParameters(path: string): string[] {
	// Templates have no stray braces.
	return path.match(/\w+(?=\})/g) ?? [];
}

/** Whether an operation's remaining input fields go into the query rather than a body. */
export function usesQuery(method: HttpMethod): boolean {
	return method === "GET" || method === "DELETE";
}

/** Rejects a method that is not one of {@link HttpMethod}. */
export function assertHttpMethod(name: string, method: unknown): void {
	assertOneOf(name, method ?? "none", ["GET", "POST", "PUT", "PATCH", "DELETE"]);
}

/** Rejects a path that is not a plain template: no origin, query, dot segment or stray brace. */
export function assertPathTemplate(path: string, owner: string): void {
	if (typeof path !== "string") throw new ConfigurationError(`${owner}: the path must be a string`);
	const plain = path.replace(/\{\w+\}/g, "x");
	if (!/^(\/[\w.~!$&'()*+,;=:@%-]+)+\/?$/.test(plain) || !staysAsWritten(plain)) {
		throw new ConfigurationError(
			`${owner}: the path must start with "/" and be a template such as /mapping/{toNumber}`,
		);
	}
}

/** Whether the URL parser keeps the path unchanged: it removes dot segments, in every spelling. */
function staysAsWritten(path: string): boolean {
	return parseUrl(`http://path.invalid${path}`)?.pathname === path;
}
