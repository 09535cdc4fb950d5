import { randomUuid } from "../../../library/runtime.ts";
import {
	CONTROL_VERSION,
	CONTROL_VERSION_HEADER,
	type ControlProblem,
	type ControlProblemCode,
} from "../contract.ts";

/** Responses are not stored, run no code, and are closed to other origins: there are never CORS headers. */
export const CONTROL_HEADERS: Readonly<Record<string, string>> = {
	"Cache-Control": "no-store",
	"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
	"Cross-Origin-Resource-Policy": "same-origin",
	[CONTROL_VERSION_HEADER]: CONTROL_VERSION,
	"Referrer-Policy": "no-referrer",
	"X-Content-Type-Options": "nosniff",
};

/** A response with the headers of the control routes. */
export function controlResponse(
	status: number,
	body: BodyInit | null,
	headers: Readonly<Record<string, string>>,
): Response {
	return new Response(body, { status, headers: { ...CONTROL_HEADERS, ...headers } });
}

export function jsonResponse(
	status: number,
	value: unknown,
	headers: Readonly<Record<string, string>> = {},
): Response {
	return controlResponse(status, JSON.stringify(value), { "Content-Type": "application/json", ...headers });
}

export function textResponse(text: string): Response {
	return controlResponse(200, text, { "Content-Type": "text/plain; charset=utf-8" });
}

/** The status of each error code. */
export const PROBLEM_STATUSES: Readonly<Record<ControlProblemCode, number>> = {
	invalid_action: 400,
	invalid_query: 400,
	rejected: 400,
	unauthorized: 401,
	forbidden: 403,
	not_found: 404,
	method_not_allowed: 405,
	too_large: 413,
	internal: 500,
	too_many_streams: 503,
};

/** An error in the envelope of the API, since clients of the API may receive it (specification, section 2.2). */
export function problemResponse(
	code: ControlProblemCode,
	message: string,
	headers: Readonly<Record<string, string>> = {},
): Response {
	const requestId = randomUuid();
	const problem: ControlProblem = { ok: false, error: { code, message, requestId } };
	return jsonResponse(PROBLEM_STATUSES[code], problem, { "X-Request-Id": requestId, ...headers });
}
