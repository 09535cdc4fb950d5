import { checkShape } from "../catalogue/check.ts";
import type { Operation } from "../catalogue/operation.ts";
import { isErrorCode, type OperationProfile, type Profile } from "../catalogue/profile.ts";
import type { ResponseMeta } from "../catalogue/response-meta.ts";
import { type ApiErrorContext, type Outcome, type ShapeIssue, shownRequestId } from "../errors.ts";
import { createDecoder, type Utf8Decoder } from "../host.ts";
import { isJsonObject } from "../is-object.ts";
import { namesUsedNonce } from "./refusals.ts";

/** The headers that the client uses; the others are only for the caller. */
export const USED_HEADERS = [
	"Age",
	"Content-Length",
	"Content-Type",
	"Date",
	"Retry-After",
	"WWW-Authenticate",
	"X-Request-Id",
] as const;

type UsedHeader = (typeof USED_HEADERS)[number];

/** A response without its body: a copy of all that is used, so that reading it cannot fail later. */
export interface ResponseHead {
	readonly status: number;
	readonly statusText: string;
	/** Those that are used. */
	readonly headers: {
		get(name: UsedHeader): string | null | undefined;
		has(name: UsedHeader): boolean;
		forEach(use: (value: string, name: string) => void): void;
	};
	/** All of them, as the transport has them: they are read when somebody asks for the raw response. */
	readonly allHeaders?: ResponseHead["headers"];
}

/** A response, as far as it arrived. */
export interface ArrivedResponse extends ResponseHead {
	/** The body, or `undefined` if it could not be read to its end. */
	readonly body: Uint8Array | undefined;
	/** What had arrived of a body that could not be read to its end. @default nothing */
	readonly begin?: Uint8Array | undefined;
	/** From sending the attempt to reading its response, in milliseconds, whatever our clock was set to meanwhile. */
	readonly roundTripMs: number;
	/** When the response was read, by our clock, in Unix milliseconds. */
	readonly receivedAt: number;
}

/** A response with its parsed body, which has not been checked against an operation's shape. */
export interface ReadResponse extends ArrivedResponse {
	/** The body as a string, or `undefined` if it could not be read to its end. */
	readonly text: string | undefined;
	/** The parsed body, or `undefined` if it is not JSON. */
	readonly json: unknown;
	/** The success envelope, if it is one. */
	readonly success: { data: unknown; meta: ResponseMeta | undefined } | undefined;
	readonly error:
		| { code: string | undefined; message: string | undefined; details: ApiErrorContext["details"] }
		| undefined;
	/** The request id, unchanged: `shownRequestId` decides whether it may be shown. */
	readonly givenRequestId: string | undefined;
	readonly retryAfterMs: number | undefined;
	/** Whether the part of a body that arrived begins the gateway's success envelope. */
	readonly beginsSuccess: boolean;
	/** Whether it is a web page, by its headers or its first characters. A single word is none, whatever its type is. */
	readonly isPage: boolean;
}

/** What a web page begins with: the tags of the MIME Sniffing Standard, section 7.1, that open one, and `meta`. */
const PAGE_START = /^\s*<(!--|(!doctype html|html|head|body|title|meta|script|style)[\s/>])/i;

/** The begin of a success envelope (specification, section 2.1), as far as it proves one. */
const SUCCESS_START = /^\s*\{\s*"ok"\s*:\s*true\b/;

/** How much of a begin is looked at. It may end within a character. */
const START_BYTES = 64;

/** A health check's `OK`, which some servers send as HTML. */
const WORD = /^\s*\w{1,20}\s*$/;

/** Puts U+FFFD where the bytes are not UTF-8, and takes off a byte order mark, as `Response.text` does. */
let decoder: Utf8Decoder | undefined;

/**
 * Makes what reads responses, before one is asked for: not every host can.
 * @throws ConfigurationError if the host has no `TextDecoder`.
 */
export function prepareReading(): Utf8Decoder {
	decoder ??= createDecoder();
	return decoder;
}

/** Parses a response, whatever its body is; never throws. */
export function readResponse(arrived: ArrivedResponse, serverNow: number): ReadResponse {
	const { status, headers, body, begin } = arrived;
	const text = body && prepareReading().decode(body);
	let json: unknown;
	try {
		json = text === undefined ? undefined : JSON.parse(text);
	} catch {
		// Reported where an envelope is expected.
	}
	const envelope = isJsonObject(json) ? json : {};
	const { ok } = envelope;
	const meta = readMeta(envelope["meta"]);
	// With a 2xx only an explicit `ok: false` is an error: the gateway may have done the work.
	const isError = isSuccessStatus(status) ? ok === false : ok !== true;
	const error = isError && isJsonObject(envelope["error"]) ? envelope["error"] : undefined;
	const requestIds = [meta?.requestId, error?.["requestId"], headers.get("X-Request-Id")];
	return {
		...arrived,
		text,
		json,
		success: ok === true && Object.hasOwn(envelope, "data") ? { data: envelope["data"], meta } : undefined,
		error: error && {
			code: isErrorCode(error["code"]) ? error["code"] : undefined,
			message: typeof error["message"] === "string" ? error["message"] : undefined,
			details: readDetails(error["details"]),
		},
		givenRequestId: requestIds.find(isRequestId),
		retryAfterMs: parseRetryAfter(headers.get("Retry-After"), serverNow),
		beginsSuccess: SUCCESS_START.test(prepareReading().decode(begin?.subarray(0, START_BYTES))),
		isPage:
			(/html\b/i.test(headers.get("Content-Type") ?? "") && !WORD.test(text ?? "")) ||
			PAGE_START.test(text ?? ""),
	};
}

/** The raw response, whose body can be read. Some statuses, such as the 0 of a redirect in a browser, cannot be built. */
export function rebuildResponse(arrived: ArrivedResponse): Response {
	const { status, statusText, body } = arrived;
	const hasBody = body !== undefined && status !== 204 && status !== 205 && status !== 304;
	return new Response(hasBody ? new Uint8Array(body) : null, {
		status,
		statusText,
		headers: copyHeaders(arrived),
	});
}

/** The headers, as far as they can be read: a library's are only certain to have `get`. */
export function copyHeaders({ headers, allHeaders = headers }: ResponseHead): Headers {
	const copy = new Headers();
	try {
		("forEach" in allHeaders ? allHeaders : headers).forEach((value, name) => {
			copy.append(name, value);
		});
	} catch {
		// The raw response then lacks what is no header.
	}
	return copy;
}

/** What hooks and spans get of a response. */
export function summarizeResponse({ status, roundTripMs, givenRequestId }: ReadResponse) {
	return { status, durationMs: roundTripMs, requestId: shownRequestId(givenRequestId) };
}

/** The time in `meta`, in Unix milliseconds, or NaN. */
export function metaTime(read: ReadResponse): number {
	return Date.parse(read.success?.meta?.timestamp ?? "");
}

/** From certainly harmless to certainly harmful to repeat. */
const OUTCOMES: readonly Outcome[] = ["not_sent", "rejected", "unknown", "accepted"];

/** The outcome of a call after a further attempt: the one with the greater risk of a repeated message. */
export function combineOutcomes(before: Outcome, attempt: Outcome): Outcome {
	return OUTCOMES.indexOf(attempt) > OUTCOMES.indexOf(before) ? attempt : before;
}

/** What a response proves: the table in docs/errors.md. */
export function outcomeOf(
	operation: Operation<unknown, unknown>,
	read: ReadResponse,
	profile: Profile | undefined,
): Outcome {
	if (namesUsedNonce(read, profile)) return "unknown";
	if (isRejection(read, profile)) return "rejected";
	return isSuccess(operation, read) && isOfGateway(operation, read) ? "accepted" : "unknown";
}

/** Whether a response proves that nothing was done, if it is not that of a copy. */
function isRejection({ status, error }: ReadResponse, profile: Profile | undefined): boolean {
	if (error?.code !== undefined && profile?.rejectionCodes?.includes(error.code)) return true;
	// These redirects ask for the same request elsewhere (RFC 9110, section 15.4); the others may follow one that was carried out.
	if (status === 307 || status === 308) return true;
	// The request is in error (RFC 9110, section 15.5). A proxy also sends 408 and 499 after it has passed a request on.
	return status >= 400 && status < 500 && status !== 408 && status !== 499;
}

/**
 * Whether a 2xx seems to come from the gateway, and not from a login page or a proxy. Of a body that broke off, what had
 * arrived decides.
 */
export function isOfGateway(operation: Operation<unknown, unknown>, read: ReadResponse): boolean {
	if (!operation.hasEnvelope) return !read.isPage;
	if (read.text === undefined) return read.beginsSuccess && !read.isPage;
	return isJsonObject(read.json) && read.json["ok"] === true;
}

export function isSuccess(operation: Operation<unknown, unknown>, read: ReadResponse): boolean {
	return isSuccessStatus(read.status) && !(operation.hasEnvelope && read.error !== undefined);
}

/** The data of a success, with the issues found. */
export interface Unwrapped {
	/** Of the operation's type only without issues. */
	value: unknown;
	issues: readonly ShapeIssue[];
	/** The same issues with the schema's original messages. */
	schemaIssues: readonly ShapeIssue[];
	/** Whether there is data at all, so that the value may be returned in spite of its issues. */
	hasData: boolean;
}

/**
 * Unwraps, decodes and checks the data of a success.
 * @param input - what the operation was called with, under our names.
 */
export async function unwrapData(
	operation: Operation<unknown, unknown>,
	read: ReadResponse,
	override: OperationProfile | undefined,
	input: Record<string, unknown>,
	profile?: Profile,
): Promise<Unwrapped> {
	const codec = override?.response;
	const decode = profile?.mapper?.decoderOf(operation, override) ?? codec?.decode.bind(codec);
	const isEmpty = read.text?.trim() === "" && maySucceedEmpty(operation, profile);
	if (isEmpty && decode === undefined) {
		return { value: operation.dataWhenGone ?? {}, issues: [], schemaIssues: [], hasData: true };
	}
	const problem = isEmpty ? undefined : describeProblem(operation, read, override, profile);
	if (problem !== undefined) return misfit(undefined, problem, false);
	const data = operation.hasEnvelope ? read.success?.data : read.json === undefined ? read.text : read.json;
	if (operation.mayBeEmpty && data === undefined && decode === undefined) {
		return { value: undefined, issues: [], schemaIssues: [], hasData: true };
	}
	let decoded: unknown;
	try {
		const { success, status } = read;
		decoded = decode === undefined ? data : decode(data, { input, meta: success?.meta, status });
	} catch {
		return misfit(data, { path: "", message: "response.decode of the profile threw" }, true);
	}
	const checked = await checkShape(operation.data, decoded, "data", operation);
	if (checked.ok) return { value: checked.value, issues: [], schemaIssues: [], hasData: true };
	return { ...checked, value: decoded, hasData: true };
}

/** Whether the profile lets an operation succeed without a body: one that changes something, and whose shape is assumed. */
function maySucceedEmpty(
	{ provenance, method, mayBeEmpty }: Operation<unknown, unknown>,
	profile: Profile | undefined,
): boolean {
	return profile?.emptyResponses === true && provenance === "provisional" && method !== "GET" && !mayBeEmpty;
}

function misfit(value: unknown, issue: ShapeIssue, hasData: boolean): Unwrapped {
	return { value, issues: [issue], schemaIssues: [issue], hasData };
}

/** Why the body of a success has no data to unwrap; `undefined` if it has. */
export function describeProblem(
	operation: Operation<unknown, unknown>,
	{ text, json, success, isPage }: ReadResponse,
	override: OperationProfile | undefined,
	profile?: Profile,
): ShapeIssue | undefined {
	if (text === undefined) return { path: "", message: "the body is larger than maxResponseBytes" };
	// An undocumented response may be empty; a profile's decoder then provides the data.
	const { map, response } = override ?? {};
	const isDecoded = response ?? (map?.response && profile?.mapper?.needsNoBody(map.response));
	const mayBeEmpty = operation.mayBeEmpty === true || (!operation.isDataDocumented && Boolean(isDecoded));
	const isEmpty = text.trim() === "";
	if (isEmpty && mayBeEmpty) return undefined;
	if (!operation.hasEnvelope) {
		// A custom operation may expect a page.
		const isUnexpected = isPage && operation.provenance !== "custom";
		return isUnexpected ? { path: "", message: "the body is a web page" } : undefined;
	}
	// Section 2.1 of the specification shows the envelope.
	if (success !== undefined) return undefined;
	if (isEmpty) {
		const canBeAllowed = operation.provenance === "provisional" && operation.method !== "GET";
		return { path: "", message: `the body is empty${canBeAllowed ? ": see profile.emptyResponses" : ""}` };
	}
	if (json === undefined) return { path: "", message: describeNoJson(text, isPage) };
	if (!isJsonObject(json)) return { path: "", message: "the body isn't a JSON object" };
	return json["ok"] === true
		? { path: "data", message: "is missing" }
		: { path: "ok", message: "must be true, as in the gateway's envelope" };
}

function describeNoJson(text: string, isPage: boolean): string {
	if (isPage) return "the body is a web page";
	return /^\s*[{[]/.test(text) ? "the body is JSON that is cut off" : "the body isn't JSON";
}

export function isSuccessStatus(status: number): boolean {
	return status >= 200 && status < 300;
}

function isRequestId(value: unknown): value is string {
	return typeof value === "string" && /^[\w.:-]{1,128}$/.test(value);
}

function readMeta(meta: unknown): ResponseMeta | undefined {
	if (!isJsonObject(meta)) return undefined;
	const { requestId, timestamp } = meta;
	return typeof requestId === "string" && typeof timestamp === "string"
		? { ...meta, requestId, timestamp }
		: undefined;
}

function readDetails(details: unknown): ApiErrorContext["details"] {
	if (!Array.isArray(details)) return isJsonObject(details) ? details : undefined;
	return details.filter(isJsonObject).map(({ field, issue, message }) => ({
		field: typeof field === "string" ? field : "",
		issue: typeof issue === "string" ? issue : "",
		message: typeof message === "string" ? message : "",
	}));
}

/** Retry-After in seconds or as a date (RFC 9110, section 10.2.3), as milliseconds from now. */
function parseRetryAfter(value: string | null | undefined, serverNow: number): number | undefined {
	if (value == null) return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
	// An HTTP date begins with a day's name; without that, "-5" would be a date too.
	const date = /^[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - serverNow);
}
