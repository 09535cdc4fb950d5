import { isInstance, VERSION } from "./identity.ts";

/**
 * What is known about a failed call, over all its attempts:
 *
 * - `"not_sent"`: it certainly never reached the gateway;
 * - `"rejected"`: the gateway rejected it with a 4xx other than 408 and 499 (RFC 9110, section 15.5), or with a code
 *   that the profile names in `rejectionCodes`; nothing was done;
 * - `"unknown"`: the gateway may have processed it, as after a 5xx or a broken connection; sending again may deliver
 *   twice;
 * - `"accepted"`: the gateway accepted it, but its response could not be used.
 */
export type Outcome = "not_sent" | "rejected" | "unknown" | "accepted";

/** One invalid field, as a gateway's validation error lists it (specification, section 2.2). */
export interface FieldError {
	/** The field's name. Its form is not shown; the local gateway writes a dotted path into the request. */
	field: string;
	/** What is wrong. The values are not shown; those of the local gateway are codes, such as `required`. */
	issue: string;
	/** What is wrong. Its form is not shown; the local gateway writes a phrase for people. */
	message: string;
}

/** One way in which a value differs from its schema. */
export interface ShapeIssue {
	/** The dotted path of the value; empty for the whole value. `*` stands for a key that the schema does not name. */
	path: string;
	/** What was expected. It never contains the value itself. */
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
 * Base of every error that this package throws. Narrow by `code`, or by `instanceof` on a subclass, which also holds for an
 * error of another copy of a compatible version.
 */
export abstract class MessagingGatewayError extends Error {
	/**
	 * A stable code for programs. The two verification errors share some codes, such as `signature_mismatch`, and
	 * `configuration` is also a code of `WebhookVerificationError`; `name` is unique to the class.
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

	/** The error for a structured log: name, message and public fields, never a body, a message text or a secret. */
	toJSON(): object {
		return Object.assign({ name: this.name, message: this.message }, this);
	}
}

/** An option or an environment variable is missing or invalid, or an option's function failed; nothing was sent. */
export class ConfigurationError extends MessagingGatewayError {
	override get name() {
		return "ConfigurationError" as const;
	}
	readonly code = "configuration" as const;
	/** What is known about the call, over all its attempts. */
	readonly outcome = "not_sent" as const;
}

/** The `signer` failed, or took too long; nothing was sent. */
export class SignerError extends MessagingGatewayError {
	override get name() {
		return "SignerError" as const;
	}
	readonly code = "signer_failed" as const;
	/** What is known about the call, over all its attempts. */
	readonly outcome = "not_sent" as const;
}

/** The input of a call is invalid; nothing was sent. */
export class InputError extends MessagingGatewayError {
	override get name() {
		return "InputError" as const;
	}
	readonly code = "invalid_input" as const;
	/** What is known about the call, over all its attempts. */
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

	/** The issues with the schema's original messages and keys. They may quote the input, so nothing prints them. */
	get schemaIssues(): readonly ShapeIssue[] {
		return this.#schemaIssues;
	}
}

/** Why a value has no canonical JSON form. */
export type CanonicalJsonErrorCode =
	/** NaN or Infinity. */
	| "not_finite"
	/** A number from `JSON.rawJSON` with more digits than a double holds: send it as a string. */
	| "not_exact"
	/** A BigInt: send it as a string or a number. */
	| "bigint"
	/** A string with a lone surrogate: it was cut inside a character. */
	| "lone_surrogate"
	/** The value contains itself. */
	| "cycle"
	/** It nests deeper than 1,000 levels. */
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
	/** A header is malformed, such as a nonce that is not a UUID. */
	| "malformed_header"
	/** There is no secret for the app id. */
	| "unknown_app_id"
	/** The timestamp is further from our clock than `toleranceSeconds`. */
	| "timestamp_out_of_range"
	/** The body is larger than `maxBodyBytes`, or has more than 100,000 brackets, braces, colons and commas. */
	| "body_too_large"
	/** The signature does not match this method, path, body, timestamp and nonce. */
	| "signature_mismatch"
	/** The nonce was used before. */
	| "nonce_replayed"
	/** The nonce store failed, so nothing is accepted. */
	| "nonce_store_unavailable";

/** A signed request was rejected (specification, section 5.1). Thrown by `verifyRequest`. */
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

/** A webhook delivery was rejected (specification, section 6.1). No message contains a secret, a signature or the payload. */
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
	 * The error of a host or a stream that is behind this one, if there is one. Its message may hold a header or the body, so
	 * it is not printed with the error.
	 */
	get hiddenCause(): unknown {
		return this.#hiddenCause;
	}
}

/** Why a send by key was not made, or a decision not taken. */
export type SendErrorCode =
	/** The key was used for another input, or written with another `digestSecret`. */
	| "key_reused"
	/** Another worker is making this send. `retryAfterMs` is the rest of its lease. */
	| "send_in_progress"
	/** The lease was over before the request was signed, for example because the process was suspended. */
	| "lease_ended"
	/**
	 * `send_again` is not possible yet: a delayed request could still be accepted. `retryAfterMs` is the time to wait. In a
	 * bot: the post to react or reply to is not known to be sent yet.
	 */
	| "too_early"
	/** `resolveSend` was called with a key that has no record. */
	| "unknown_key"
	/** The store failed, took too long or broke its contract, which the message names. Nothing was sent. */
	| "store_failed";

/** A send by key was not made, or a decision not taken. Thrown by a sender; this call sent nothing. */
export class SendError extends MessagingGatewayError {
	override get name() {
		return "SendError" as const;
	}
	readonly code: SendErrorCode;
	// Of this call: earlier ones with the key may have sent the message. Editors would add a doc comment to that of all errors.
	readonly outcome = "not_sent" as const;
	/** How long to wait before the next try, in milliseconds, if it is known. */
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

/** What is known about every failed call. */
export interface CallContext {
	/** The operation's id, e.g. `"messages.sendText"`, or `"request"` for `gateway.request`. */
	operationId: string;
	/** What is known about the call, over all its attempts. */
	outcome: Outcome;
	/** How many attempts were made. */
	attempts: number;
	/** How far the gateway's clock is ahead of ours, in milliseconds, if known. */
	clockOffsetMs: number | undefined;
}

/** Base of the errors of failed calls. */
export abstract class CallError extends MessagingGatewayError implements CallContext {
	/** @internal */
	override get name(): string {
		return "CallError";
	}
	readonly operationId: string;
	// Repeated because editors do not show inherited comments for members of a union.
	/** What is known about the call, over all its attempts. */
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
	 * What `fetch` said, unchanged, such as `"other side closed"`. It may contain the URL, a header or the body, so it is not
	 * printed with the error.
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
	/** Which limit was reached: `attemptTimeoutMs` or `timeoutMs`. */
	readonly scope: "attempt" | "call";
	/** The limit in milliseconds. */
	readonly limitMs: number;

	constructor(message: string, context: CallContext, limit: { scope: "attempt" | "call"; limitMs: number }) {
		super(message, context);
		this.scope = limit.scope;
		this.limitMs = limit.limitMs;
	}
}

/** What is known about an HTTP response that became an error. */
export interface ResponseContext extends CallContext {
	/** The HTTP status. */
	status: number;
	/** The raw response body, or `undefined` if it could not be read. */
	body: string | undefined;
	/**
	 * The gateway's request id, unchanged, if the response has one. Quote it to the gateway's support. Messages, logs
	 * and JSON show it only if it is a UUID, as documented (specification, section 2.1).
	 */
	requestId: string | undefined;
}

/** The response is an error, or cannot be used. */
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
	 * The raw response body, for debugging. It may contain message texts and numbers, so nothing prints it.
	 * @returns the body as a string, or `undefined` if it could not be read.
	 */
	readBody(): string | undefined {
		return this.#body;
	}
}

/** The status is a success, but the body is not the documented envelope or shape. Never retried. */
export class ResponseShapeError extends ResponseError {
	override get name() {
		return "ResponseShapeError" as const;
	}
	readonly code = "unexpected_response" as const;
	/** Where the response differs from the expected shape. */
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

	/** The issues with the schema's original messages and keys. They may quote the response, so nothing prints them. */
	get schemaIssues(): readonly ShapeIssue[] {
		return this.#schemaIssues;
	}
}

/** The contents of an error response, with or without an envelope (specification, section 2.2). */
export interface ApiErrorContext extends ResponseContext {
	/**
	 * `error.code`, unchanged, or `undefined` if the response has nothing that looks like a code. Messages, logs and JSON
	 * show it only if it consists of upper-case letters and underscores, such as `MAPPING_NOT_FOUND`.
	 */
	gatewayCode: string | undefined;
	/** `error.message`, unchanged. It may quote what was sent, so it is not printed with the error. */
	gatewayMessage?: string | undefined;
	/**
	 * `error.details`, unchanged: field errors, or an object that depends on the error. It may quote what was sent, so it
	 * is not printed with the error.
	 */
	details: readonly FieldError[] | Readonly<Record<string, unknown>> | undefined;
	/** How long to wait before the next try, in milliseconds, if the gateway reported it. */
	retryAfterMs: number | undefined;
}

/** The literal `code` of each kind of {@link ApiError}. */
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
 * The gateway responded with an error. The specification documents the statuses 400, 401, 404 and 500 (section 7); the
 * classes of all others follow HTTP.
 */
export abstract class ApiError extends ResponseError implements Omit<ApiErrorContext, "body"> {
	/** @internal */
	override get name(): string {
		return "ApiError";
	}
	/** Unique to the class; the gateway's own code is `gatewayCode`. */
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

	/** The invalid fields in `details`; empty if the gateway lists none. */
	get fieldErrors(): readonly FieldError[] {
		return Array.isArray(this.#details) ? (this.#details as readonly FieldError[]) : [];
	}

	override toJSON(): object {
		return { ...super.toJSON(), gatewayCode: shownGatewayCode(this.#gatewayCode) };
	}
}

/** A status without a specific class, such as a redirect. */
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
 * many consecutive messages.
 */
export class PermissionDeniedError extends ApiError {
	override get name() {
		return "PermissionDeniedError" as const;
	}
	readonly code = "permission_denied" as const;
}

/** 404: something that the request names does not exist, such as the mapping, or the gateway does not have the path. */
export class NotFoundError extends ApiError {
	override get name() {
		return "NotFoundError" as const;
	}
	readonly code = "not_found" as const;
}

/** 409: the request contradicts the gateway's state. */
export class ConflictError extends ApiError {
	override get name() {
		return "ConflictError" as const;
	}
	readonly code = "conflict" as const;
}

/**
 * State of a duplicate window (specification, section 2.4). The specification does not show how the signatures are
 * computed, or when `isDuplicate` is set.
 */
export interface DuplicateInfo {
	/** By its name, whether a message was blocked as a duplicate. */
	isDuplicate: boolean;
	/** By its name, the signature of the last message. */
	lastMessageSignature: string;
	/** By its name, the signature of the current message. */
	currentMessageSignature: string;
	/** Seconds left in the duplicate window. */
	timeRemaining: number;
	/** Why the message was blocked, for people. */
	message: string;
}

/**
 * The gateway reports that a duplicate window blocks this send (section 2.4; how it reports that is assumed).
 * @remarks It does not prove that this message was sent before: the windows of the agent and of the account also block
 * a text that was sent to another contact.
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

	/** The duplicate window that blocked the message; `undefined` if the profile recognizes duplicates by their code. */
	get duplicate(): DuplicateInfo | undefined {
		return this.#duplicate;
	}
}

/** 422: the request is well formed, but cannot be processed. */
export class UnprocessableEntityError extends ApiError {
	override get name() {
		return "UnprocessableEntityError" as const;
	}
	readonly code = "unprocessable" as const;
}

/** 429: too many requests. `retryAfterMs` is the time to wait, if the gateway sent `Retry-After`. */
export class RateLimitError extends ApiError {
	override get name() {
		return "RateLimitError" as const;
	}
	readonly code = "rate_limited" as const;
}

/** 5xx: the gateway, or a proxy in front of it, failed. The call may have been carried out, unless `outcome` is `"rejected"`. */
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
 * Whether a caught value is an error of this package, also of another realm or of another copy of a compatible version.
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
