import { randomUuid } from "../../runtime.ts";
import type { ControlProblem, ControlProblemCode } from "../contract.ts";

/** Responses are not stored, run no code, and are closed to other origins: there are never CORS headers. */
export const CONTROL_HEADERS: Readonly<Record<string, string>> = {
	"Cache-Control": "no-store",
	"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
	"Cross-Origin-Resource-Policy": "same-origin",
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

/** A JSON response. */
export function jsonResponse(
	status: number,
	value: unknown,
	headers: Readonly<Record<string, string>> = {},
): Response {
	return controlResponse(status, JSON.stringify(value), { "Content-Type": "application/json", ...headers });
}

const STATUSES: Readonly<Record<ControlProblemCode, number>> = {
	invalid_action: 400,
	rejected: 400,
	unauthorized: 401,
	forbidden: 403,
	not_found: 404,
	method_not_allowed: 405,
	too_large: 413,
	internal: 500,
};

/** An error in the envelope of the API, since clients of the API may receive it (specification, section 2.2). */
export function problemResponse(
	code: ControlProblemCode,
	message: string,
	headers: Readonly<Record<string, string>> = {},
): Response {
	const requestId = randomUuid();
	const problem: ControlProblem = { ok: false, error: { code, message, requestId } };
	return jsonResponse(STATUSES[code], problem, { "X-Request-Id": requestId, ...headers });
}
