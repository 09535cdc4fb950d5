import { isJsonObject } from "../catalogue/check.ts";
import type { ResponseMeta } from "../catalogue/envelope.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { OperationProfile } from "../catalogue/profile.ts";
import { type ApiErrorContext, type Outcome, type ShapeIssue, shownRequestId } from "../errors.ts";
import { checkOf } from "./check-of.ts";
import type { ResponseHead } from "./response-head.ts";

/** An answer, taken apart. Nothing in it has been checked against an operation's shape. */
export interface ReadResponse {
	status: number;
	/** The body, or `undefined` where it could not be read to its end. */
	text: string | undefined;
	/** The parsed body, or `undefined` where it is not JSON. */
	json: unknown;
	/** The envelope of a success, where it is one. */
	success: { data: unknown; meta: ResponseMeta | undefined } | undefined;
	/** The envelope of an error, where it is one. */
	error:
		| { code: string | undefined; message: string | undefined; details: ApiErrorContext["details"] }
		| undefined;
	/** The request's id, where hooks, logs and spans may show it. */
	requestId: string | undefined;
	/** The request's id as it came. */
	givenRequestId: string | undefined;
	retryAfterMs: number | undefined;
	/** Whether it is a web page, by its headers or its first characters. */
	isPage: boolean;
}

/** What a web page begins with: the tags of the MIME Sniffing Standard, section 7.1, that open one, and `meta`. */
const PAGE_START = /^\s*<(!--|(!doctype html|html|head|body|title|meta|script|style)[\s/>])/i;

/** Takes an answer apart, whatever it is; never throws. */
export function readResponse(
	response: ResponseHead,
	text: string | undefined,
	serverNow: number,
): ReadResponse {
	const json = text === undefined ? undefined : parseJson(text);
	const envelope = isJsonObject(json) ? json : {};
	const meta = readMeta(envelope["meta"]);
	// With a success status only a plain "no" counts as one: anything less may come after the work was done.
	const hasSucceeded = response.status >= 200 && response.status < 300;
	const isRefusal = hasSucceeded ? envelope["ok"] === false : envelope["ok"] !== true;
	const error = isRefusal && isJsonObject(envelope["error"]) ? envelope["error"] : undefined;
	const isSuccess = envelope["ok"] === true && Object.hasOwn(envelope, "data");
	const { headers } = response;
	const requestIds = [meta?.requestId, error?.["requestId"], headers.get("X-Request-Id")];
	const givenRequestId = requestIds.find(isRequestId);
	return {
		status: response.status,
		text,
		json,
		success: isSuccess ? { data: envelope["data"], meta } : undefined,
		error: error && {
			code: readCode(error["code"]),
			message: typeof error["message"] === "string" ? error["message"] : undefined,
			details: readDetails(error["details"]),
		},
		requestId: shownRequestId(givenRequestId),
		givenRequestId,
		retryAfterMs: parseRetryAfter(headers.get("Retry-After"), serverNow),
		isPage: /html\b/i.test(headers.get("Content-Type") ?? "") || PAGE_START.test(text ?? ""),
	};
}

/** The time in `meta`, in Unix milliseconds; NaN where there is none. */
export function metaTime(read: ReadResponse): number {
	return Date.parse(read.success?.meta?.timestamp ?? "");
}

/** Whether a 401 says that the timestamp was the reason. */
export function namesTimestamp(read: ReadResponse): boolean {
	const { code, details } = read.error ?? {};
	const reason = isJsonObject(details) ? details["reason"] : undefined;
	const fields = Array.isArray(details)
		? details.map((entry: unknown) => isJsonObject(entry) && entry["field"])
		: [];
	return [code, reason, ...fields].some((text) => typeof text === "string" && /timestamp/i.test(text));
}

/** What an answer tells of a call's fate. */
export function outcomeOf(operation: Operation<unknown, unknown>, read: ReadResponse): Outcome {
	if (read.status >= 200 && read.status < 300) {
		if (read.error !== undefined) return "rejected";
		return isOfGateway(operation, read) ? "accepted" : "unknown";
	}
	// A redirect that may change the method, or that a browser hides, may come after the work was done.
	if ([0, 301, 302, 303].includes(read.status)) return "unknown";
	// What a proxy says of a request that took too long proves nothing either.
	if ((read.status === 408 || read.status === 499) && read.error === undefined) return "unknown";
	if (read.status < 500) return "rejected";
	// Unavailable in the gateway's own words is a refusal; a proxy, or a failure half way, proves nothing.
	return read.status === 503 && read.error !== undefined ? "rejected" : "unknown";
}

/**
 * Whether a 2xx is the gateway's own, as far as can be seen: a login page or a proxy may be what answered. Of a body
 * that could not be read, only the headers tell.
 */
export function isOfGateway(operation: Operation<unknown, unknown>, read: ReadResponse): boolean {
	if (read.text === undefined || !operation.hasEnvelope) return !read.isPage;
	return isJsonObject(read.json) && read.json["ok"] === true;
}

/** Whether the answer is a success to be unwrapped. */
export function isSuccess(operation: Operation<unknown, unknown>, read: ReadResponse): boolean {
	return read.status >= 200 && read.status < 300 && !(operation.hasEnvelope && read.error !== undefined);
}

/** What the caller asked for: the unwrapped, decoded and checked data, and where it misfits. */
export async function unwrapData<Data>(
	operation: Operation<unknown, Data>,
	read: ReadResponse,
	override: OperationProfile | undefined,
): Promise<Unwrapped<Data>> {
	const issue = describeProblem(operation, read, override);
	if (issue !== undefined) return misfit(undefined, [issue]);
	const data = operation.hasEnvelope ? read.success?.data : read.json === undefined ? read.text : read.json;
	if (operation.mayBeEmpty && data === undefined && override?.response === undefined) {
		return { value: undefined as Data, issues: [], schemaIssues: [] };
	}
	let decoded: unknown;
	try {
		decoded = override?.response === undefined ? data : override.response.decode(data);
	} catch {
		return misfit(data, [{ path: "", message: "response.decode of the profile failed on it" }]);
	}
	const checked = await checkOf(operation, operation.data, decoded, "data");
	if (checked.ok) return { value: checked.value, issues: [], schemaIssues: [] };
	return misfit(decoded, checked.issues, checked.schemaIssues);
}

/** What an answer holds, and where it misfits. */
type Unwrapped<Data> =
	| { value: Data; issues: readonly []; schemaIssues: readonly [] }
	| { value: unknown; issues: readonly ShapeIssue[]; schemaIssues: readonly ShapeIssue[] };

function misfit(value: unknown, issues: readonly ShapeIssue[], schemaIssues = issues): Unwrapped<never> {
	return { value, issues, schemaIssues };
}

/** Why the body of a success has no data to unwrap, whatever that data is; `undefined` when it has. */
export function describeProblem(
	operation: Operation<unknown, unknown>,
	read: ReadResponse,
	override: OperationProfile | undefined,
): ShapeIssue | undefined {
	if (read.text === undefined) return { path: "", message: "the body is larger than maxResponseBytes" };
	if (read.text.trim() === "" && mayBeEmpty(operation, override)) return undefined;
	if (operation.hasEnvelope) return describeEnvelopeProblem(read.text, read);
	// An operation of the caller's own may be there to get a page.
	const isUnexpected = read.isPage && operation.provenance.kind !== "custom";
	return isUnexpected ? { path: "", message: "the body is a web page" } : undefined;
}

/** Where a response is not shown, it may be none at all; a profile's decoder then says what that stands for. */
function mayBeEmpty(operation: Operation<unknown, unknown>, override: OperationProfile | undefined): boolean {
	return operation.mayBeEmpty === true || (!operation.isDataDocumented && override?.response !== undefined);
}

/** Why a body is not a success envelope (specification, section 2.1), or `undefined` when it is one. */
function describeEnvelopeProblem(text: string, read: ReadResponse): ShapeIssue | undefined {
	if (read.success !== undefined) return undefined;
	if (text.trim() === "") return { path: "", message: "the body is empty" };
	if (read.json === undefined) return { path: "", message: "the body is not JSON" };
	if (!isJsonObject(read.json)) return { path: "", message: "the body is not a JSON object" };
	return read.json["ok"] === true
		? { path: "data", message: "is missing" }
		: { path: "ok", message: "must be true" };
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

/** Only what looks like a code: anything else could be a sentence with a number in it, and is shown in errors. */
function readCode(code: unknown): string | undefined {
	return typeof code === "string" && /^[\w.:-]{1,64}$/.test(code) ? code : undefined;
}

function readDetails(details: unknown): ApiErrorContext["details"] {
	if (!Array.isArray(details)) return isJsonObject(details) ? details : undefined;
	return details.filter(isJsonObject).map(({ field, issue, message }) => ({
		field: typeof field === "string" ? field : "",
		issue: typeof issue === "string" ? issue : "",
		message: typeof message === "string" ? message : "",
	}));
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** Retry-After in seconds or as a date (RFC 9110, section 10.2.3), as milliseconds from now. */
function parseRetryAfter(value: string | null, serverNow: number): number | undefined {
	if (value === null) return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
	// An HTTP date begins with a day's name; without that, "-5" would be a date too.
	const date = /^[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - serverNow);
}
