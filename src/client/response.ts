import { isJsonObject } from "../catalogue/check.ts";
import type { ResponseMeta } from "../catalogue/envelope.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { OperationProfile } from "../catalogue/profile.ts";
import { type ApiErrorContext, type Outcome, type ShapeIssue, shownRequestId } from "../errors.ts";
import { checkOf } from "./check-of.ts";
import type { ResponseHead } from "./response-head.ts";

/** A parsed response. Nothing in it has been checked against an operation's shape. */
export interface ReadResponse {
	status: number;
	/** The body, or `undefined` if it could not be read to its end. */
	text: string | undefined;
	/** The parsed body, or `undefined` if it is not JSON. */
	json: unknown;
	/** The success envelope, if it is one. */
	success: { data: unknown; meta: ResponseMeta | undefined } | undefined;
	/** The error envelope, if it is one. */
	error:
		| { code: string | undefined; message: string | undefined; details: ApiErrorContext["details"] }
		| undefined;
	/** The request id, if hooks, logs and spans may show it. */
	requestId: string | undefined;
	/** The request id, unchanged. */
	givenRequestId: string | undefined;
	retryAfterMs: number | undefined;
	/** Whether it is a web page, by its headers or its first characters. */
	isPage: boolean;
}

/** What a web page begins with: the tags of the MIME Sniffing Standard, section 7.1, that open one, and `meta`. */
const PAGE_START = /^\s*<(!--|(!doctype html|html|head|body|title|meta|script|style)[\s/>])/i;

/** Parses a response, whatever its body is; never throws. */
export function readResponse(
	response: ResponseHead,
	text: string | undefined,
	serverNow: number,
): ReadResponse {
	const json = text === undefined ? undefined : parseJson(text);
	const envelope = isJsonObject(json) ? json : {};
	const meta = readMeta(envelope["meta"]);
	// With a 2xx only an explicit `ok: false` is an error: the gateway may have done the work.
	const hasSuccessStatus = response.status >= 200 && response.status < 300;
	const isError = hasSuccessStatus ? envelope["ok"] === false : envelope["ok"] !== true;
	const error = isError && isJsonObject(envelope["error"]) ? envelope["error"] : undefined;
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

/** The time in `meta`, in Unix milliseconds, or NaN. */
export function metaTime(read: ReadResponse): number {
	return Date.parse(read.success?.meta?.timestamp ?? "");
}

/** Whether a 401 names the timestamp as its reason. */
export function namesTimestamp(read: ReadResponse): boolean {
	const { code, details } = read.error ?? {};
	const reason = isJsonObject(details) ? details["reason"] : undefined;
	const fields = Array.isArray(details)
		? details.map((entry: unknown) => isJsonObject(entry) && entry["field"])
		: [];
	return [code, reason, ...fields].some((value) => typeof value === "string" && /timestamp/i.test(value));
}

/** The outcome of a call according to its response. */
export function outcomeOf(operation: Operation<unknown, unknown>, read: ReadResponse): Outcome {
	if (read.status >= 200 && read.status < 300) {
		if (read.error !== undefined) return "rejected";
		return isOfGateway(operation, read) ? "accepted" : "unknown";
	}
	// The gateway may have done the work before a redirect that changes the method, or that a browser hides.
	if ([0, 301, 302, 303].includes(read.status)) return "unknown";
	// A proxy's time-out proves nothing either.
	if ((read.status === 408 || read.status === 499) && read.error === undefined) return "unknown";
	if (read.status < 500) return "rejected";
	// A 503 in the gateway's envelope is a rejection; one from a proxy, or another 5xx, proves nothing.
	return read.status === 503 && read.error !== undefined ? "rejected" : "unknown";
}

/**
 * Whether a 2xx seems to come from the gateway, and not from a login page or a proxy. If the body could not be read,
 * only the headers decide.
 */
export function isOfGateway(operation: Operation<unknown, unknown>, read: ReadResponse): boolean {
	if (read.text === undefined || !operation.hasEnvelope) return !read.isPage;
	return isJsonObject(read.json) && read.json["ok"] === true;
}

/** Whether the response is a success. */
export function isSuccess(operation: Operation<unknown, unknown>, read: ReadResponse): boolean {
	return read.status >= 200 && read.status < 300 && !(operation.hasEnvelope && read.error !== undefined);
}

/** The unwrapped, decoded and checked data, with the issues found. */
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
		return misfit(data, [{ path: "", message: "response.decode of the profile threw" }]);
	}
	const checked = await checkOf(operation, operation.data, decoded, "data");
	if (checked.ok) return { value: checked.value, issues: [], schemaIssues: [] };
	return misfit(decoded, checked.issues, checked.schemaIssues);
}

/** The data of a response, with the issues found. */
type Unwrapped<Data> =
	| { value: Data; issues: readonly []; schemaIssues: readonly [] }
	| { value: unknown; issues: readonly ShapeIssue[]; schemaIssues: readonly ShapeIssue[] };

function misfit(value: unknown, issues: readonly ShapeIssue[], schemaIssues = issues): Unwrapped<never> {
	return { value, issues, schemaIssues };
}

/** Why the body of a success has no data to unwrap; `undefined` if it has. */
export function describeProblem(
	operation: Operation<unknown, unknown>,
	read: ReadResponse,
	override: OperationProfile | undefined,
): ShapeIssue | undefined {
	if (read.text === undefined) return { path: "", message: "the body is larger than maxResponseBytes" };
	if (read.text.trim() === "" && mayBeEmpty(operation, override)) return undefined;
	if (operation.hasEnvelope) return describeEnvelopeProblem(read.text, read);
	// A custom operation may expect a page.
	const isUnexpected = read.isPage && operation.provenance !== "custom";
	return isUnexpected ? { path: "", message: "the body is a web page" } : undefined;
}

/** An undocumented response may be empty; a profile's decoder then provides the data. */
function mayBeEmpty(operation: Operation<unknown, unknown>, override: OperationProfile | undefined): boolean {
	return operation.mayBeEmpty === true || (!operation.isDataDocumented && override?.response !== undefined);
}

/** Why a body is not a success envelope (specification, section 2.1), or `undefined` if it is one. */
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

/** Accepts only what looks like a code: anything else could be a sentence with a number in it. */
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
