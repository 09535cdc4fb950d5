import { GATEWAY_ERRORS, type KnownGatewayErrorCode } from "../../library/catalogue/gateway-errors.ts";
import type { DuplicatesProfile } from "../../library/catalogue/profile.ts";
import { isJsonObject } from "../../library/is-object.ts";
import type { FaultFilter, FaultResponse } from "./faults.ts";
import type { GatewayResponse } from "./readings/choices.ts";
import { RequestRejection } from "./request-rejection.ts";

/** The parts of a response, before it becomes a `Response`. */
export interface ResponseParts {
	readonly status: number;
	readonly body: string | null;
	readonly headers: HeaderRecord | Headers;
}

type HeaderRecord = Readonly<Record<string, string>>;

/** The values that every response contains. */
export interface MetaFields {
	readonly requestId: string;
	/** The gateway's time, in Unix milliseconds. */
	readonly now: number;
}

const JSON_HEADERS = { "Content-Type": "application/json" };
const TEXT_HEADERS = { "Content-Type": "text/plain" };

/** Merges headers: a later one replaces an earlier one of the same name, in any case. */
export function combineHeaders(...sources: readonly (HeaderRecord | Headers)[]): Headers {
	const merged = new Headers();
	for (const source of sources) for (const [name, value] of new Headers(source)) merged.set(name, value);
	return merged;
}

/** Writes a response: a string as plain text, any other value as JSON. */
export function writeResponse(
	{ status, body }: Omit<GatewayResponse, "operationId">,
	headers: HeaderRecord = {},
): ResponseParts {
	if (body === undefined) return { status, body: null, headers };
	if (typeof body === "string") return { status, body, headers: { ...TEXT_HEADERS, ...headers } };
	return { status, body: JSON.stringify(body), headers: { ...JSON_HEADERS, ...headers } };
}

/** The success envelope of section 2.1. */
export function wrapSuccess(data: unknown, { requestId, now }: MetaFields): object {
	return { ok: true, data, meta: { requestId, timestamp: new Date(now).toISOString() } };
}

/** The error envelope of section 2.2. */
export function wrapRejection(
	{ code, message, details }: RequestRejection,
	{ requestId }: MetaFields,
	duplicates: DuplicatesProfile = {},
): Omit<GatewayResponse, "operationId"> {
	const { status } = GATEWAY_ERRORS[code];
	if (code !== "DUPLICATE_MESSAGE") {
		const error = { code, message, requestId, ...(details === undefined ? {} : { details }) };
		return { status, body: { ok: false, error } };
	}
	const { infoPath = "error.details" } = duplicates;
	const envelope = { ok: false, error: { code: duplicates.code ?? code, message, requestId } };
	return {
		status: duplicates.status ?? status,
		body: infoPath === null ? envelope : withValueAt(envelope, infoPath.split("."), details),
	};
}

/** A copy of an object with a value at a path. If an object is there already, both are merged and its members win. */
function withValueAt(object: object, [name = "", ...rest]: readonly string[], value: unknown): object {
	const child: unknown = Reflect.get(object, name);
	const members = isJsonObject(child) ? child : {};
	if (rest.length > 0) return { ...object, [name]: withValueAt(members, rest, value) };
	return { ...object, [name]: isJsonObject(value) ? { ...value, ...members } : value };
}

/** The response of a fault instead of the gateway's. */
export function faultResponse(
	response: Omit<FaultResponse, keyof FaultFilter>,
	{ requestId }: MetaFields,
): ResponseParts {
	const { status, retryAfterSeconds, body = faultEnvelope(status, requestId) } = response;
	const isEmpty = status === 204 || status === 205 || status === 304;
	return {
		status,
		body: isEmpty ? null : typeof body === "string" ? body : JSON.stringify(body),
		headers: combineHeaders(
			JSON_HEADERS,
			retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) },
			response.headers ?? {},
		),
	};
}

function faultEnvelope(status: number, requestId: string): object {
	const code = FAULT_CODES[status] ?? "INTERNAL_ERROR";
	return { ok: false, error: { code, message: "A fault that the test added.", requestId } };
}

const FAULT_CODES: Readonly<Record<number, KnownGatewayErrorCode>> = {
	400: "VALIDATION_ERROR",
	401: "UNAUTHORIZED",
	403: "AGENT_BLOCKED",
	404: "NOT_FOUND",
	429: "RATE_LIMITED",
	503: "SERVICE_UNAVAILABLE",
};

/** Corrupts the response to a processed request. */
export function corruptResponse(parts: ResponseParts, as: "html" | "truncated" | "empty"): ResponseParts {
	if (parts.status >= 300) return parts;
	if (as === "html") {
		const body = "<!doctype html><title>Welcome</title><h1>Welcome</h1>";
		return { ...parts, body, headers: combineHeaders(parts.headers, { "Content-Type": "text/html" }) };
	}
	const { body } = parts;
	return { ...parts, body: as === "empty" || body === null ? null : body.slice(0, body.length / 2) };
}

/** The rejection for any error. An internal error's own message stays hidden: it could quote the request. */
export function toRejection(error: unknown): RequestRejection {
	if (error instanceof RequestRejection) return error;
	const kind = error instanceof Error ? error.name : typeof error;
	return new RequestRejection(
		"INTERNAL_ERROR",
		`The local gateway, or a codec of its profile, failed with ${kind}.`,
	);
}
