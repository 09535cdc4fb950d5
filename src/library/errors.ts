import { isInstance, VERSION } from "./identity.ts";

/**
 * Whether the gateway may have carried out a failed call, over all its attempts:
 *
 * - `"not_sent"`: it certainly never reached the gateway;
 * - `"rejected"`: the gateway did nothing. It rejected the call with a 4xx other than 408 and 499 (RFC 9110, section
 *   15.5), or with a code that the profile names in `rejectionCodes`;
 * - `"unknown"`: the gateway may have processed it, as after a 5xx or a broken connection. Sending again may deliver
 *   twice;
 * - `"accepted"`: the gateway accepted it, but its response could not be used.
 */
export type Outcome = "not_sent" | "rejected" | "unknown" | "accepted";

/**
 * One invalid field in a gateway's validation error.
 * @see Specification, section 2.2
 */
export interface FieldError {
	/** The field's name. The local gateway writes a dotted path into the request. */
	field: string;
	/** The kind of problem. The local gateway writes codes, such as `required`. */
	issue: string;
	/** The problem in words. The local gateway writes a phrase for people. */
	message: string;
}

/** One mismatch between a value and its schema. */
export interface ShapeIssue {
	/** The dotted path of the value, empty for the whole value. `*` stands for a key that the schema doesn't name. */
	path: string;
	/** The shape that was expected. It never contains the value itself. */
	message: string;
}

/** A gateway's code, if it is safe to show in messages and logs: upper-case words, never a number or a sentence. */
export function shownGatewayCode(code: string | undefined): string | undefined {
	return code !== undefined && code.length <= 64 && /^[A-Z]+(_[A-Z]+)*$/.test(code) ? code : undefined;
}

/** The name of another's error, if it is safe to show in messages and logs: capitalized words, as runtimes write names. */
export function shownErrorName(name: unknown): string | undefined {
	return typeof name === "string" && /^[A-Z][A-Za-z]{0,63}$/.test(name) ? name : undefined;
}

/**
 * The code of another's error, if it is safe to show in messages and logs: capitalized words with at most a version digit,
 * such as `ECONNREFUSED`. Those of SQL are five digits and capitals, such as `40001`.
 */
export function shownErrorCode(code: unknown): string | undefined {
	const form = /^(?=.{1,64}$)[A-Z][A-Za-z]*\d?(_[A-Z]+\d?)*$|^[0-9A-Z]{5}$/;
	return typeof code === "string" && form.test(code) ? code : undefined;
}

/** A request id, if it is a UUID (specification, section 2.1) and so safe to show in messages and logs. */
export function shownRequestId(id: string | undefined): string | undefined {
	return id !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) ? id : undefined;
}

/**
 * The base of every error that this package throws. Narrow by `code`, or by `instanceof` on a subclass, which also
 * holds for an error of another copy of a compatible version.
 */
export abstract class MessagingGatewayError extends Error {
	/**
	 * A stable code for programs. The two verification errors share some codes, such as `signature_mismatch`, and
	 * `configuration` is also a code of `WebhookVerificationError`. `name` is unique to the class.
	 */
	abstract readonly code: string;

	/** @internal */
	static override [Symbol.hasInstance](value: unknown): boolean {
		// biome-ignore lint/complexity/noThisInStatic: a subclass is compared as itself
		return isInstance(this, value);
	}

	/** @internal */
	get "~brand"(): string {
		return `${VERSION} ${this.name}`;
	}

	/**
	 * Returns the error for a structured log: name, message and public fields, never a body, a message text or a
	 * secret.
	 */
	toJSON(): object {
		return Object.assign({ name: this.name, message: this.message }, this);
	}
}

/**
 * An option or an environment variable is missing or invalid, so nothing was sent. The same code stands for an option's
 * function that failed.
 */
export class ConfigurationError extends MessagingGatewayError {
	override get name() {
		return "ConfigurationError" as const;
	}
	readonly code = "configuration" as const;
	/** Whether the gateway may have carried out the call, over all its attempts. */
	readonly outcome = "not_sent" as const;
}

/** The `signer` failed or took too long, so nothing was sent. */
export class SignerError extends MessagingGatewayError {
	override get name() {
		return "SignerError" as const;
	}
	readonly code = "signer_failed" as const;
	/** Whether the gateway may have carried out the call, over all its attempts. */
	readonly outcome = "not_sent" as const;
}

/** The input of a call is invalid, so nothing was sent. */
export class InputError extends MessagingGatewayError {
	override get name() {
		return "InputError" as const;
	}
	readonly code = "invalid_input" as const;
	/** Whether the gateway may have carried out the call, over all its attempts. */
	readonly outcome = "not_sent" as const;
	/** Every invalid field. */
	readonly issues: readonly ShapeIssue[];
	readonly #schemaIssues: readonly ShapeIssue[];

	constructor(
		message: string,
		issues: readonly ShapeIssue[] = [],
		options: ErrorOptions & { schemaIssues?: readonly ShapeIssue[] } = {},
	) {
		const { schemaIssues = issues, ...rest } = options;
		super(message, rest);
		this.issues = issues;
		this.#schemaIssues = schemaIssues;
	}

	/**
	 * The issues with the schema's original messages and keys. They may quote the input, so the package never prints
	 * them.
	 */
	get schemaIssues(): readonly ShapeIssue[] {
		return this.#schemaIssues;
	}
}

/** Why a value has no canonical JSON form. */
export type CanonicalJsonErrorCode =
	/** The number is NaN or Infinity. */
	| "not_finite"
	/** The number, from `JSON.rawJSON`, has more digits than a double holds. Send it as a string. */
	| "not_exact"
	/** The value is a BigInt. Send it as a string or a number. */
	| "bigint"
	/** The string has a lone surrogate: it was cut inside a character. */
	| "lone_surrogate"
	/** The value contains itself. */
	| "cycle"
	/** The value nests deeper than 1,000 levels. */
	| "too_deep"
	/** The value has no JSON form, such as `undefined` or a function. */
	| "not_json";

/** A value has no canonical JSON form (RFC 8785). The message never contains the value. */
export class CanonicalJsonError extends MessagingGatewayError {
	override get name() {
		return "CanonicalJsonError" as const;
	}
	readonly code: CanonicalJsonErrorCode;

	constructor(code: CanonicalJsonErrorCode, message: string) {
		super(message);
		this.code = code;
	}
}

/** Why a signed request was rejected. */
export type RequestVerificationErrorCode =
	/** One of the four signed headers is missing or empty. */
	| "missing_header"
	/** A header is malformed, such as a nonce that isn't a UUID. */
	| "malformed_header"
	/** There is no secret for the app id. */
	| "unknown_app_id"
	/** The timestamp is further from your clock than `toleranceSeconds`. */
	| "timestamp_out_of_range"
	/** The body is larger than `maxBodyBytes`, or has more than 100,000 brackets, braces, colons and commas. */
	| "body_too_large"
	/** The signature doesn't match this method, path, body, timestamp and nonce. */
	| "signature_mismatch"
	/** The nonce was used before. */
	| "nonce_replayed"
	/** The nonce store failed, so nothing is accepted. */
	| "nonce_store_unavailable";

/**
 * A signed request was rejected, by `verifyRequest`.
 * @see Specification, section 5.1
 */
export class RequestVerificationError extends MessagingGatewayError {
	override get name() {
		return "RequestVerificationError" as const;
	}
	readonly code: RequestVerificationErrorCode;
	/** The HTTP status to respond with: 401, 413 for a body that is too large, or 503 when the nonce store failed. */
	readonly status: 401 | 413 | 503;

	constructor(code: RequestVerificationErrorCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
		this.status = code === "nonce_store_unavailable" ? 503 : code === "body_too_large" ? 413 : 401;
	}
}

const WEBHOOK_STATUS = {
	/** One of the three headers is missing or empty. */
	missing_header: 400,
	/** A header is malformed, is present twice with different values, or has too many signatures. */
	malformed_header: 400,
	/** The timestamp is further from our clock than `toleranceSeconds`. */
	timestamp_out_of_tolerance: 401,
	/** No signature matches the raw body with any of the secrets, or the secret function found none: an unknown tenant. */
	signature_mismatch: 401,
	/** The body was already parsed or read, so the signed bytes are gone. */
	raw_body_unavailable: 500,
	/** The body is larger than `maxBodyBytes`. */
	body_too_large: 413,
	/** The signature is valid, but the body is not a JSON object. */
	invalid_json: 400,
	/** The signature is valid, but the body is an array of events, which have one event id together. */
	several_events: 500,
	/** `profile.events.decode` threw, or returned no object. */
	decode_failed: 500,
	/** An option is invalid, or the secret is missing or badly copied. */
	configuration: 500,
} as const;

/** Why a webhook delivery was rejected. */
export type WebhookVerificationErrorCode = keyof typeof WEBHOOK_STATUS;

/**
 * A webhook delivery was rejected. No message contains a secret, a signature or the payload.
 * @see Specification, section 6.1
 */
export class WebhookVerificationError extends MessagingGatewayError {
	override get name() {
		return "WebhookVerificationError" as const;
	}
	readonly code: WebhookVerificationErrorCode;
	/** The HTTP status to respond with. */
	readonly status: number;
	readonly #hiddenCause: unknown;

	constructor(
		code: WebhookVerificationErrorCode,
		message: string,
		options: ErrorOptions & { hiddenCause?: unknown } = {},
	) {
		super(message, options);
		this.code = code;
		this.status = WEBHOOK_STATUS[code];
		this.#hiddenCause = options.hiddenCause;
	}

	/**
	 * The error of a host or a stream behind this one, if there is one. Its message may hold a header or the body, so
	 * it isn't printed with the error.
	 */
	get hiddenCause(): unknown {
		return this.#hiddenCause;
	}
}

/** Why a send with a key was not made, or a decision not recorded. */
export type SendErrorCode =
	/** The key was used for another input, or with another `digestSecret`. */
	| "key_reused"
	/** Another worker is making this send. `retryAfterMs` is the rest of its lease. */
	| "send_in_progress"
	/** The lease ended before the request was signed, for example because the process was suspended. */
	| "lease_ended"
	/**
	 * `send_again` isn't possible yet, since a delayed request could still be accepted. `retryAfterMs` is the time to
	 * wait. In a bot: the post to react or reply to isn't known to be sent yet.
	 */
	| "too_early"
	/** The key that you gave `resolveSend` has no record. */
	| "unknown_key"
	/** The store failed, took too long, or broke its contract, which the message names. Nothing was sent. */
	| "store_failed";

/** A send with a key was not made, or a decision not recorded. A sender throws it, and this call sent nothing. */
export class SendError extends MessagingGatewayError {
	override get name() {
		return "SendError" as const;
	}
	readonly code: SendErrorCode;
	// Of this call: earlier ones with the key may have sent the message. Editors would add a doc comment to that of all errors.
	readonly outcome = "not_sent" as const;
	/** How long to wait before the next try, in milliseconds, if known. */
	readonly retryAfterMs: number | undefined;

	constructor(
		code: SendErrorCode,
		message: string,
		options: ErrorOptions & { retryAfterMs?: number | undefined } = {},
	) {
		const { retryAfterMs, ...rest } = options;
		super(message, rest);
		this.code = code;
		this.retryAfterMs = retryAfterMs;
	}
}

/** The facts that every failed call has. */
export interface CallContext {
	/** The operation's id, e.g. `"messages.sendText"`, or `"request"` for `gateway.request`. */
	operationId: string;
	/** Whether the gateway may have carried out the call, over all its attempts. */
	outcome: Outcome;
	/** How many attempts the call took. */
	attempts: number;
	/** How far the gateway's clock is ahead of yours, in milliseconds, if known. */
	clockOffsetMs: number | undefined;
}

/** The base of the errors of failed calls. */
export abstract class CallError extends MessagingGatewayError implements CallContext {
	/** @internal */
	override get name(): string {
		return "CallError";
	}
	readonly operationId: string;
	// Repeated because editors do not show inherited comments for members of a union.
	/** Whether the gateway may have carried out the call, over all its attempts. */
	readonly outcome: Outcome;
	readonly attempts: number;
	readonly clockOffsetMs: number | undefined;

	constructor(message: string, context: CallContext, options?: ErrorOptions) {
		super(message, options);
		this.operationId = context.operationId;
		this.outcome = context.outcome;
		this.attempts = context.attempts;
		this.clockOffsetMs = context.clockOffsetMs;
	}
}

/** The gateway could not be reached, or the connection broke before the whole response was read. */
export class ConnectionError extends CallError {
	override get name() {
		return "ConnectionError" as const;
	}
	readonly code = "connection_failed" as const;
	readonly #transportMessage: string | undefined;

	constructor(
		message: string,
		context: CallContext,
		options: ErrorOptions & { transportMessage?: string | undefined } = {},
	) {
		const { transportMessage, ...rest } = options;
		super(message, context, rest);
		this.#transportMessage = transportMessage;
	}

	/**
	 * The message of `fetch`, unchanged, such as `"other side closed"`. It may contain the URL, a header or the body,
	 * so it isn't printed with the error.
	 */
	get transportMessage(): string | undefined {
		return this.#transportMessage;
	}
}

/** An attempt, or the whole call, took longer than allowed. */
export class TimeoutError extends CallError {
	override get name() {
		return "TimeoutError" as const;
	}
	readonly code = "timeout" as const;
	/** The limit that was reached: `attemptTimeoutMs` or `timeoutMs`. */
	readonly scope: "attempt" | "call";
	/** The limit in milliseconds. */
	readonly limitMs: number;

	constructor(message: string, context: CallContext, limit: { scope: "attempt" | "call"; limitMs: number }) {
		super(message, context);
		this.scope = limit.scope;
		this.limitMs = limit.limitMs;
	}
}

/** The facts about an HTTP response that became an error. */
export interface ResponseContext extends CallContext {
	/** The HTTP status. */
	status: number;
	/** The raw response body, or `undefined` if it could not be read. */
	body: string | undefined;
	/**
	 * The gateway's request id, unchanged, if the response has one. Quote it to the gateway's support. Messages, logs
	 * and JSON show it only if it is a UUID, as documented.
	 */
	requestId: string | undefined;
}

/** The response is an error, or can't be used. */
abstract class ResponseError extends CallError implements Omit<ResponseContext, "body"> {
	readonly status: number;
	readonly #requestId: string | undefined;
	readonly #body: string | undefined;

	constructor(message: string, context: ResponseContext, options?: ErrorOptions) {
		super(message, context, options);
		this.status = context.status;
		this.#requestId = context.requestId;
		this.#body = context.body;
	}

	get requestId(): string | undefined {
		return this.#requestId;
	}

	override toJSON(): object {
		return { ...super.toJSON(), requestId: shownRequestId(this.#requestId) };
	}

	/**
	 * Returns the raw response body, for debugging. It may contain message texts and numbers, so the package never
	 * prints it.
	 * @returns the body as a string, or `undefined` if it could not be read.
	 */
	readBody(): string | undefined {
		return this.#body;
	}
}

/** The status is a success, but the body isn't the documented envelope or shape. The client never retries it. */
export class ResponseShapeError extends ResponseError {
	override get name() {
		return "ResponseShapeError" as const;
	}
	readonly code = "unexpected_response" as const;
	/** The places where the response differs from the expected shape. */
	readonly issues: readonly ShapeIssue[];
	readonly #schemaIssues: readonly ShapeIssue[];

	constructor(
		message: string,
		context: ResponseContext,
		issues: readonly ShapeIssue[],
		schemaIssues: readonly ShapeIssue[] = issues,
	) {
		super(message, context);
		this.issues = issues;
		this.#schemaIssues = schemaIssues;
	}

	/**
	 * The issues with the schema's original messages and keys. They may quote the response, so the package never prints
	 * them.
	 */
	get schemaIssues(): readonly ShapeIssue[] {
		return this.#schemaIssues;
	}
}

/**
 * The contents of an error response, with or without an envelope.
 * @see Specification, section 2.2
 */
export interface ApiErrorContext extends ResponseContext {
	/**
	 * The gateway's `error.code`, unchanged, or `undefined` if the response has nothing like a code. Messages, logs and
	 * JSON show it only if it consists of upper-case letters and underscores, such as `MAPPING_NOT_FOUND`.
	 */
	gatewayCode: string | undefined;
	/** The gateway's `error.message`, unchanged. It may quote your input, so it isn't printed with the error. */
	gatewayMessage?: string | undefined;
	/**
	 * The gateway's `error.details`, unchanged: field errors, or an object that depends on the error. They may quote
	 * your input, so they aren't printed with the error.
	 */
	details: readonly FieldError[] | Readonly<Record<string, unknown>> | undefined;
	/** How long to wait before the next try, in milliseconds, if the gateway says so. */
	retryAfterMs: number | undefined;
}

/** The `code` of each kind of {@link ApiError}. */
export type ApiErrorCode =
	| "unexpected_status"
	| "bad_request"
	| "authentication_failed"
	| "permission_denied"
	| "not_found"
	| "conflict"
	| "duplicate_message"
	| "unprocessable"
	| "rate_limited"
	| "server_error";

/**
 * The gateway responded with an error. The specification documents the statuses 400, 401, 404 and 500. The classes of
 * all others follow HTTP.
 * @see Specification, section 7
 */
export abstract class ApiError extends ResponseError implements Omit<ApiErrorContext, "body"> {
	/** @internal */
	override get name(): string {
		return "ApiError";
	}
	/** The code of the class. The gateway's own code is `gatewayCode`. */
	abstract override readonly code: ApiErrorCode;
	readonly retryAfterMs: number | undefined;
	readonly #gatewayCode: string | undefined;
	readonly #gatewayMessage: string | undefined;
	readonly #details: ApiErrorContext["details"];

	constructor(message: string, context: ApiErrorContext) {
		super(message, context);
		this.retryAfterMs = context.retryAfterMs;
		this.#gatewayCode = context.gatewayCode;
		this.#gatewayMessage = context.gatewayMessage;
		this.#details = context.details;
	}

	get gatewayCode(): string | undefined {
		return this.#gatewayCode;
	}

	get gatewayMessage(): string | undefined {
		return this.#gatewayMessage;
	}

	get details(): ApiErrorContext["details"] {
		return this.#details;
	}

	/** The invalid fields in `details`. It is empty if the gateway lists none. */
	get fieldErrors(): readonly FieldError[] {
		return Array.isArray(this.#details) ? (this.#details as readonly FieldError[]) : [];
	}

	override toJSON(): object {
		return { ...super.toJSON(), gatewayCode: shownGatewayCode(this.#gatewayCode) };
	}
}

/** The status has no specific class, such as a redirect. */
export class UnexpectedStatusError extends ApiError {
	override get name() {
		return "UnexpectedStatusError" as const;
	}
	readonly code = "unexpected_status" as const;
}

/** 400: the gateway rejected the request's content. See `fieldErrors`. */
export class BadRequestError extends ApiError {
	override get name() {
		return "BadRequestError" as const;
	}
	readonly code = "bad_request" as const;
}

/** 401: the signature, the app id, the timestamp or the nonce was not accepted. */
export class AuthenticationError extends ApiError {
	override get name() {
		return "AuthenticationError" as const;
	}
	readonly code = "authentication_failed" as const;
}

/**
 * 403: the gateway understood the request and rejected it. The local gateway does so for a blocked agent and for too
 * many messages without a reply.
 */
export class PermissionDeniedError extends ApiError {
	override get name() {
		return "PermissionDeniedError" as const;
	}
	readonly code = "permission_denied" as const;
}

/** 404: a thing that the request names doesn't exist, such as the mapping, or the gateway doesn't have the path. */
export class NotFoundError extends ApiError {
	override get name() {
		return "NotFoundError" as const;
	}
	readonly code = "not_found" as const;
}

/** 409: the request contradicts the gateway's state. Read `gatewayMessage`, and change the request. */
export class ConflictError extends ApiError {
	override get name() {
		return "ConflictError" as const;
	}
	readonly code = "conflict" as const;
}

/**
 * The state of a duplicate window. The specification doesn't show how the signatures are computed, or when
 * `isDuplicate` is set.
 * @see Specification, section 2.4
 */
export interface DuplicateInfo {
	/** By its name, whether a message was blocked as a duplicate. */
	isDuplicate: boolean;
	/** By its name, the signature of the last message. */
	lastMessageSignature: string;
	/** By its name, the signature of the current message. */
	currentMessageSignature: string;
	/** How many seconds are left in the duplicate window. */
	timeRemaining: number;
	/** Why the message was blocked, for people. */
	message: string;
}

/**
 * A duplicate window of the gateway blocks this send. How the gateway reports it is assumed.
 * @remarks It does not prove that this message was sent before: the windows of the agent and of the account also block
 * a text that was sent to another contact.
 * @see Specification, section 2.4
 */
export class DuplicateMessageError extends ApiError {
	override get name() {
		return "DuplicateMessageError" as const;
	}
	readonly code = "duplicate_message" as const;
	readonly #duplicate: DuplicateInfo | undefined;

	constructor(message: string, context: ApiErrorContext, duplicate: DuplicateInfo | undefined) {
		const remainingMs = duplicate && Math.ceil(duplicate.timeRemaining * 1000);
		super(message, { ...context, retryAfterMs: context.retryAfterMs ?? remainingMs });
		this.#duplicate = duplicate;
	}

	/**
	 * The duplicate window that blocked the message, or `undefined` if the profile recognizes duplicates by their code.
	 */
	get duplicate(): DuplicateInfo | undefined {
		return this.#duplicate;
	}
}

/** 422: the request is well formed, but can't be processed. */
export class UnprocessableEntityError extends ApiError {
	override get name() {
		return "UnprocessableEntityError" as const;
	}
	readonly code = "unprocessable" as const;
}

/** 429: you sent too many requests. `retryAfterMs` is the time to wait, if the gateway sent `Retry-After`. */
export class RateLimitError extends ApiError {
	override get name() {
		return "RateLimitError" as const;
	}
	readonly code = "rate_limited" as const;
}

/**
 * 5xx: the gateway, or a proxy in front of it, failed. The gateway may have carried out the call, unless `outcome` is
 * `"rejected"`.
 */
export class ServerError extends ApiError {
	override get name() {
		return "ServerError" as const;
	}
	readonly code = "server_error" as const;
}

/** Every concrete error of this package. A `switch` on `code` narrows it, to two classes if they share the code. */
export type AnyMessagingGatewayError =
	| ConfigurationError
	| SignerError
	| InputError
	| CanonicalJsonError
	| RequestVerificationError
	| WebhookVerificationError
	| SendError
	| ConnectionError
	| TimeoutError
	| ResponseShapeError
	| UnexpectedStatusError
	| BadRequestError
	| AuthenticationError
	| PermissionDeniedError
	| NotFoundError
	| ConflictError
	| DuplicateMessageError
	| UnprocessableEntityError
	| RateLimitError
	| ServerError;

/**
 * Checks whether a caught value is an error of this package. It also recognizes an error of another realm, or of
 * another copy of a compatible version.
 *
 * @example
 * ```ts
 * if (isMessagingGatewayError(error) && error.code === "duplicate_message") {
 *   console.log(error.duplicate?.timeRemaining);
 * }
 * ```
 */
export function isMessagingGatewayError(value: unknown): value is AnyMessagingGatewayError {
	return value instanceof MessagingGatewayError;
}
