import type { FetchResponse } from "../../../library/client/custom-fetch.ts";
import type { ResponseInfo } from "../../../library/client/observer.ts";
import {
	ApiError,
	type ConnectionError,
	type FieldError,
	ResponseShapeError,
	TimeoutError,
} from "../../../library/errors.ts";

/** A response to a probe. */
export interface ProbeResponse {
	/** 0 for a redirect in a browser. */
	readonly status: number;
	readonly header: (name: string) => string | undefined;
	readonly text: string;
	/** What the gateway's error envelope has. */
	readonly error:
		| {
				readonly code: string | undefined;
				readonly message: string | undefined;
				readonly details: readonly FieldError[] | Readonly<Record<string, unknown>> | undefined;
		  }
		| undefined;
	/** Set if it is the gateway's success envelope, with the time in its `meta`. */
	readonly success: { readonly time: string | undefined } | undefined;
	/** Whether it is a web page. */
	readonly isPage: boolean;
	/** The request id, if it may be shown. */
	readonly requestId: string | undefined;
	readonly retryAfterMs: number | undefined;
	readonly roundTripMs: number;
	/** When it was read, by our clock, in Unix milliseconds. */
	readonly receivedAt: number;
}

/** Why a probe got no complete response. */
export interface ProbeFailure {
	/** `"refused"`: nothing was sent; `"broken"`: the connection failed. */
	readonly kind: "refused" | "broken" | "timed_out" | "too_large";
	/** The network stack's code; empty if it has none. */
	readonly code: string;
	/** The network stack's own message, never to be printed: it may contain the URL, the headers or the body. */
	readonly rawMessage: string;
}

/** What a request shows while it is made. */
export interface Observed {
	url: string;
	timestamp: number;
	head?: FetchResponse;
	info?: ResponseInfo;
	receivedAt: number;
}

/** How a call ended: with a success, an error response, or without a response. */
export type CallEnd =
	| { readonly text: string; readonly time: string }
	| { readonly error: ApiError | ResponseShapeError }
	| { readonly failure: ConnectionError | TimeoutError };

/** What a call's end shows of the response; `undefined` if that could not be read to its end. */
export function readCallEnd(end: CallEnd, { head, info, receivedAt }: Observed): ProbeResponse | undefined {
	const text = "error" in end ? end.error.readBody() : "text" in end ? end.text : undefined;
	if (text === undefined || head === undefined || info === undefined) return undefined;
	const {
		gatewayCode: code,
		gatewayMessage: message,
		details,
		retryAfterMs,
	} = "error" in end && end.error instanceof ApiError ? end.error : NO_ERROR;
	const hasError = code !== undefined || message !== undefined || details !== undefined;
	const header = (name: string): string | undefined => {
		const value: unknown = head.headers.get(name);
		return typeof value === "string" ? value : undefined;
	};
	return {
		status: info.status,
		header,
		text,
		error: hasError ? { code, message, details } : undefined,
		success: "text" in end ? { time: end.time } : undefined,
		isPage: isPage(header("Content-Type") ?? "", text),
		requestId: info.requestId,
		retryAfterMs,
		roundTripMs: info.durationMs,
		receivedAt,
	};
}

const NO_ERROR: Pick<ApiError, "gatewayCode" | "gatewayMessage" | "details" | "retryAfterMs"> = {
	gatewayCode: undefined,
	gatewayMessage: undefined,
	details: undefined,
	retryAfterMs: undefined,
};

/** A single word is no page, whatever its type is: some servers send a health check's `OK` as HTML. */
function isPage(contentType: string, text: string): boolean {
	const isWord = /^\s*\w{1,20}\s*$/.test(text);
	return (/html\b/i.test(contentType) && !isWord) || PAGE_START.test(text);
}

const PAGE_START = /^\s*<(!--|(!doctype html|html|head|body|title|meta|script|style)[\s/>])/i;

/** Why a call got no complete response. */
export function toProbeFailure(end: CallEnd): ProbeFailure {
	if (!("failure" in end)) {
		const isTooLarge = "error" in end && end.error instanceof ResponseShapeError;
		return { kind: isTooLarge ? "too_large" : "broken", code: "", rawMessage: "" };
	}
	const { failure } = end;
	if (failure instanceof TimeoutError) return { kind: "timed_out", code: "", rawMessage: "" };
	const { cause, outcome, transportMessage: rawMessage = "" } = failure;
	const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
	return { kind: outcome === "not_sent" ? "refused" : "broken", code, rawMessage };
}
