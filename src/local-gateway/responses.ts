import { GATEWAY_ERRORS, type KnownGatewayErrorCode } from "../catalogue/gateway-errors.ts";
import type { FaultResponse } from "./faults.ts";
import { Refusal } from "./refusal.ts";

/** An answer before it becomes a Response. */
export interface Answer {
	readonly status: number;
	readonly body: string | null;
	readonly headers: HeaderRecord | Headers;
}

type HeaderRecord = Readonly<Record<string, string>>;

/** What every answer of a request tells. */
export interface ResponseContext {
	readonly requestId: string;
	/** The gateway's time, in Unix milliseconds. */
	readonly now: number;
}

const JSON_HEADERS = { "Content-Type": "application/json" };

/** Headers of which a later one replaces an earlier one, in whatever case they are written. */
export function mergeHeaders(...sources: readonly (HeaderRecord | Headers)[]): Headers {
	const merged = new Headers();
	for (const source of sources) for (const [name, value] of new Headers(source)) merged.set(name, value);
	return merged;
}

/** An answer of plain JSON. */
export function jsonResponse(status: number, value: unknown, headers: HeaderRecord = {}): Answer {
	return { status, body: JSON.stringify(value), headers: { ...JSON_HEADERS, ...headers } };
}

/** The success envelope of section 2.1. */
export function successResponse(status: number, data: unknown, { requestId, now }: ResponseContext): Answer {
	const meta = { requestId, timestamp: new Date(now).toISOString() };
	return jsonResponse(status, { ok: true, data, meta });
}

/** The error envelope of section 2.2. */
export function errorResponse(refusal: Refusal, { requestId }: ResponseContext): Answer {
	const { code, message, details, headers } = refusal;
	const error = { code, message, requestId, ...(details === undefined ? {} : { details }) };
	return jsonResponse(GATEWAY_ERRORS[code].status, { ok: false, error }, headers);
}

/** The answer that a fault gives instead of the gateway. */
export function faultResponse(response: FaultResponse, { requestId }: ResponseContext): Answer {
	const { status, retryAfterSeconds, body = faultEnvelope(status, requestId) } = response;
	const isEmpty = status === 204 || status === 205 || status === 304;
	return {
		status,
		body: isEmpty ? null : typeof body === "string" ? body : JSON.stringify(body),
		headers: mergeHeaders(
			JSON_HEADERS,
			retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) },
			response.headers ?? {},
		),
	};
}

function faultEnvelope(status: number, requestId: string): object {
	const code = FAULT_CODES[status] ?? "INTERNAL_ERROR";
	return { ok: false, error: { code, message: "A fault that the test asked for.", requestId } };
}

const FAULT_CODES: Readonly<Record<number, KnownGatewayErrorCode>> = {
	400: "VALIDATION_ERROR",
	401: "UNAUTHORIZED",
	403: "AGENT_BLOCKED",
	404: "NOT_FOUND",
	429: "RATE_LIMITED",
	503: "SERVICE_UNAVAILABLE",
};

/** Spoils the answer to a request that was carried out. */
export function corruptResponse(answer: Answer, as: "html" | "truncated" | "empty"): Answer {
	if (answer.status >= 300) return answer;
	if (as === "html") {
		const body = "<!doctype html><title>Welcome</title><h1>Welcome</h1>";
		return { ...answer, body, headers: mergeHeaders(answer.headers, { "Content-Type": "text/html" }) };
	}
	const { body } = answer;
	return { ...answer, body: as === "empty" || body === null ? null : body.slice(0, body.length / 2) };
}

/** What the gateway's own faults look like from outside; the cause stays inside. */
export function toRefusal(error: unknown): Refusal {
	if (error instanceof Refusal) return error;
	const kind = error instanceof Error ? error.name : typeof error;
	return new Refusal("INTERNAL_ERROR", `The local gateway, or a codec of its profile, failed with ${kind}.`);
}
