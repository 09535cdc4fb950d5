/** The mark that survives duplicated installs and realms, where `instanceof` does not. */
const BRAND: unique symbol = Symbol.for("messaging-gateway.error");

/**
 * What is known of a failed call, over all its attempts:
 *
 * - `"not_sent"`: it certainly never reached the gateway;
 * - `"rejected"`: the gateway refused it; nothing was done;
 * - `"unknown"`: it may or may not have been carried out; sending again may deliver twice;
 * - `"accepted"`: the gateway accepted it, but its answer could not be used.
 */
export type Outcome = "not_sent" | "rejected" | "unknown" | "accepted";

/** One invalid field, as a gateway's validation error lists it (specification, section 2.2). */
export interface FieldError {
	/** The field, as a dotted path into the request. */
	field: string;
	/** What is wrong, as a short word for programs. */
	issue: string;
	/** What is wrong, as a sentence for people. */
	message: string;
}

/** One way in which a value differs from its schema. */
export interface ShapeIssue {
	/** The dotted path of the value; empty for the whole. `*` stands for a key that the schema does not name. */
	path: string;
	/** What was expected. It never holds the value itself. */
	message: string;
}

/** Letters in upper case: a number, an address or a sentence does not have this form. */
const SHOWN_CODE = /^[A-Z]+(_[A-Z]+)*$/;

/** A gateway's code, where its form lets messages and logs show it. */
export function shownGatewayCode(code: string | undefined): string | undefined {
	return code !== undefined && code.length <= 64 && SHOWN_CODE.test(code) ? code : undefined;
}

/** A request's id, where it is a UUID (specification, section 2.1), which messages and logs may show. */
export function shownRequestId(id: string | undefined): string | undefined {
	return id !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) ? id : undefined;
}

/** Base of every error that this package throws. Narrow by `code`, or by `instanceof` on a subclass. */
export abstract class MessagingGatewayError extends Error {
	/** A stable word for programs, unique to the class or to its kinds of failure. */
	abstract readonly code: string;

	/** @internal */
	get [BRAND](): true {
		return true;
	}

	/** The error for a structured log: name, message and public fields, never a body, a text or a secret. */
	toJSON(): object {
		return Object.assign({ name: this.name, message: this.message }, this);
	}
}

/** An option or an environment variable is missing or unusable; nothing was sent. */
export class ConfigurationError extends MessagingGatewayError {
	override get name() {
		return "ConfigurationError" as const;
	}
	readonly code = "configuration" as const;
	/** What is known of the call's fate, over all its attempts. */
	readonly outcome = "not_sent" as const;
}

/** The input of a call does not fit its operation; nothing was sent. */
export class InputError extends MessagingGatewayError {
	override get name() {
		return "InputError" as const;
	}
	readonly code = "invalid_input" as const;
	/** What is known of the call's fate, over all its attempts. */
	readonly outcome = "not_sent" as const;
	/** Every field that does not fit. */
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

	/** The issues in the schema's own words and with every key. They may repeat the input, so nothing prints them. */
	get schemaIssues(): readonly ShapeIssue[] {
		return this.#schemaIssues;
	}
}

/** Why a value has no canonical JSON form. */
export type CanonicalJsonErrorCode =
	/** NaN or Infinity. */
	| "not_finite"
	/** A number from `JSON.rawJSON` with digits that a double does not hold: send it as a string. */
	| "not_exact"
	/** A BigInt: send it as a text or a number. */
	| "bigint"
	/** A text with half of a surrogate pair: it was cut inside a character. */
	| "lone_surrogate"
	/** The value contains itself. */
	| "cycle"
	/** It nests deeper than 1,000 levels. */
	| "too_deep"
	/** There is nothing to write, as for `undefined` or a function. */
	| "not_json";

/** A value has no canonical JSON form (RFC 8785). The message never holds the value. */
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

/** Why a signed request was refused. */
export type RequestVerificationErrorCode =
	/** One of the four signed headers is missing or empty. */
	| "missing_header"
	/** A header does not have its form, such as a nonce that is no UUID. */
	| "malformed_header"
	/** There is no secret for the app id. */
	| "unknown_app_id"
	/** The timestamp lies further from our clock than `toleranceMs`. */
	| "timestamp_out_of_range"
	/** The body is larger than `maxBodyBytes`. */
	| "body_too_large"
	/** The signature is not that of this method, path, body, timestamp and nonce. */
	| "signature_mismatch"
	/** The nonce was used before. */
	| "nonce_replayed"
	/** The store of nonces failed, so nothing is accepted. */
	| "nonce_store_unavailable";

/** A signed request was refused (specification, section 5.1). Thrown by `verifyRequest`. */
export class RequestVerificationError extends MessagingGatewayError {
	override get name() {
		return "RequestVerificationError" as const;
	}
	readonly code: RequestVerificationErrorCode;
	/** The HTTP status to answer: 401, 413 for a body that is too large, or 503 when the nonce store failed. */
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
	/** A header does not have its form, is there twice with different values, or holds too many signatures. */
	malformed_header: 400,
	/** The timestamp lies further from our clock than `toleranceSeconds`. */
	timestamp_out_of_tolerance: 401,
	/** No signature matches the raw body with any of the secrets. */
	signature_mismatch: 401,
	/** The body was parsed or read before, so the bytes that were signed are gone. */
	raw_body_unavailable: 500,
	/** The body is larger than `maxBodyBytes`. */
	body_too_large: 413,
	/** The signature is right, but the body is not a JSON object. */
	invalid_json: 400,
	/** An option is unusable, or the secret is missing or badly copied. */
	configuration: 500,
} as const;

/** Why a webhook delivery was refused. */
export type WebhookVerificationErrorCode = keyof typeof WEBHOOK_STATUS;

/** A webhook delivery was refused (specification, section 6.1). No message holds a secret, a signature or the payload. */
export class WebhookVerificationError extends MessagingGatewayError {
	override get name() {
		return "WebhookVerificationError" as const;
	}
	readonly code: WebhookVerificationErrorCode;
	/** The HTTP status to answer the sender with. */
	readonly status: number;

	constructor(code: WebhookVerificationErrorCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
		this.status = WEBHOOK_STATUS[code];
	}
}

/** What every failed call tells of itself. */
export interface CallContext {
	/** The operation's id, e.g. `"messages.sendText"`, or `"request"` for `gateway.request`. */
	operationId: string;
	/** What is known of the call's fate, over all its attempts. */
	outcome: Outcome;
	/** How many attempts were made. */
	attempts: number;
	/** How far the gateway's clock is ahead of ours, in milliseconds, where it is known. */
	clockOffsetMs: number | undefined;
}

/** A call that left, or tried to leave, this process and failed. */
export abstract class CallError extends MessagingGatewayError implements CallContext {
	readonly operationId: string;
	// Not inherited: an editor shows a union only what its members say themselves.
	/** What is known of the call's fate, over all its attempts. */
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

/** The gateway could not be reached, or the connection broke before the whole answer was read. */
export class ConnectionError extends CallError {
	override get name() {
		return "ConnectionError" as const;
	}
	readonly code = "connection_failed" as const;
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

/** What is known of an HTTP answer that became an error. */
export interface ResponseContext extends CallContext {
	/** The HTTP status. */
	status: number;
	/** The answer's raw body, or `undefined` where it could not be read. */
	body: string | undefined;
	/** The gateway's id of the request as it came, where the answer names one. */
	requestId: string | undefined;
}

/** An answer arrived that this call cannot use. */
abstract class ResponseError extends CallError {
	/** The HTTP status. */
	readonly status: number;
	readonly #requestId: string | undefined;
	readonly #body: string | undefined;

	constructor(message: string, context: ResponseContext, options?: ErrorOptions) {
		super(message, context, options);
		this.status = context.status;
		this.#requestId = context.requestId;
		this.#body = context.body;
	}

	/**
	 * The gateway's id of the request as it came, where the answer names one. Quote it to the gateway's support.
	 * Messages, logs and JSON show it where it is a UUID, as the specification documents it (section 2.1).
	 */
	get requestId(): string | undefined {
		return this.#requestId;
	}

	/** The error for a structured log: name, message and public fields, never a body, a text or a secret. */
	override toJSON(): object {
		return { ...super.toJSON(), requestId: shownRequestId(this.#requestId) };
	}

	/**
	 * The answer's raw body, for debugging. It may hold message texts and numbers, so nothing prints it by itself.
	 * @returns the text, or `undefined` where it could not be read.
	 */
	readBody(): string | undefined {
		return this.#body;
	}
}

/** A successful status came with a body that is not the documented envelope or shape. It is never retried. */
export class ResponseShapeError extends ResponseError {
	override get name() {
		return "ResponseShapeError" as const;
	}
	readonly code = "unexpected_response" as const;
	/** Where the answer differs from what was expected. */
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

	/** The issues in the schema's own words and with every key. They may repeat the answer, so nothing prints them. */
	get schemaIssues(): readonly ShapeIssue[] {
		return this.#schemaIssues;
	}
}

/** What an error envelope, or the lack of one, tells (specification, section 2.2). */
export interface ApiErrorContext extends ResponseContext {
	/** `error.code` as it came, or `undefined` where there was none that looks like a code. */
	gatewayCode: string | undefined;
	/** `error.message` as it came. */
	gatewayMessage?: string | undefined;
	/** `error.details` as it came: field errors, or an object of the domain. */
	details: readonly FieldError[] | Readonly<Record<string, unknown>> | undefined;
	/** How long to wait before the next try, in milliseconds, where the gateway said so. */
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

/** The gateway answered with a failure. */
export abstract class ApiError extends ResponseError implements Omit<ApiErrorContext, "body"> {
	/** Unique to the class; the gateway's own word is `gatewayCode`. */
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

	/**
	 * `error.code` as it came. Messages, logs and JSON show it where it is letters in upper case and underscores,
	 * such as `MAPPING_NOT_FOUND`.
	 */
	get gatewayCode(): string | undefined {
		return this.#gatewayCode;
	}

	/** `error.message` as it came: the gateway's own words. They may repeat what was sent, so nothing prints them. */
	get gatewayMessage(): string | undefined {
		return this.#gatewayMessage;
	}

	/** `error.details` as it came. It may repeat what was sent, so it is not printed with the error. */
	get details(): ApiErrorContext["details"] {
		return this.#details;
	}

	/** The invalid fields as the gateway lists them; otherwise empty. They are part of `details`. */
	get fieldErrors(): readonly FieldError[] {
		return Array.isArray(this.#details) ? (this.#details as readonly FieldError[]) : [];
	}

	/** The error for a structured log: name, message and public fields, never a body, a text or a secret. */
	override toJSON(): object {
		return { ...super.toJSON(), gatewayCode: shownGatewayCode(this.#gatewayCode) };
	}
}

/** A status that has no class of its own, a redirect among them. */
export class UnexpectedStatusError extends ApiError {
	override get name() {
		return "UnexpectedStatusError" as const;
	}
	readonly code = "unexpected_status" as const;
}

/** 400: the gateway refused the request's content. See `fieldErrors`. */
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

/** 403: the request was understood and refused, e.g. a blocked agent or too many consecutive messages. */
export class PermissionDeniedError extends ApiError {
	override get name() {
		return "PermissionDeniedError" as const;
	}
	readonly code = "permission_denied" as const;
}

/** 404: the mapping, agent, group or message does not exist, or the path is not the gateway's. */
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
 * State of a duplicate window (specification, section 2.4). What the signatures are made of, and when `isDuplicate` is set,
 * is not shown there.
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
 * The same message was sent within a duplicate window (specification, section 2.4).
 * @remarks It proves nothing of an earlier send of this message: the windows of the agent and of the account also block
 * a text that went to another contact.
 */
export class DuplicateMessageError extends ApiError {
	override get name() {
		return "DuplicateMessageError" as const;
	}
	readonly code = "duplicate_message" as const;
	readonly #duplicate: DuplicateInfo;

	constructor(message: string, context: ApiErrorContext, duplicate: DuplicateInfo) {
		super(message, {
			...context,
			retryAfterMs: context.retryAfterMs ?? Math.ceil(duplicate.timeRemaining * 1000),
		});
		this.#duplicate = duplicate;
	}

	/** The duplicate window that blocked the message. */
	get duplicate(): DuplicateInfo {
		return this.#duplicate;
	}
}

/** 422: the request is well formed, but cannot be carried out. */
export class UnprocessableEntityError extends ApiError {
	override get name() {
		return "UnprocessableEntityError" as const;
	}
	readonly code = "unprocessable" as const;
}

/** 429: too many requests. `retryAfterMs` tells when to try again, where the gateway says so. */
export class RateLimitError extends ApiError {
	override get name() {
		return "RateLimitError" as const;
	}
	readonly code = "rate_limited" as const;
}

/** 5xx: the gateway, or a proxy before it, failed. */
export class ServerError extends ApiError {
	override get name() {
		return "ServerError" as const;
	}
	readonly code = "server_error" as const;
}

/** Every concrete error of this package; `switch` on `code` narrows it. */
export type AnyMessagingGatewayError =
	| ConfigurationError
	| InputError
	| CanonicalJsonError
	| RequestVerificationError
	| WebhookVerificationError
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
 * Whether a caught value is an error of this package, also across realms and duplicated installs.
 *
 * @example
 * ```ts
 * if (isMessagingGatewayError(error) && error.code === "duplicate_message") {
 *   console.log(error.duplicate.timeRemaining);
 * }
 * ```
 */
export function isMessagingGatewayError(value: unknown): value is AnyMessagingGatewayError {
	return typeof value === "object" && value !== null && BRAND in value;
}
