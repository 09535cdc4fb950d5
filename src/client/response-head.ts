import type { FetchResponse } from "./custom-fetch.ts";

/** A response without its body: a copy of all that is used, so that reading it cannot fail later. */
export interface ResponseHead {
	readonly status: number;
	readonly statusText: string;
	readonly headers: Headers;
}

/** A `fetch` resolved to something unusable. Unlike a foreign error's message, this one is ours and may be shown. */
export class UnusableResponse extends Error {
	override readonly name = "UnusableResponse";
}

/** The headers that the client uses; the others are only for the caller. */
const USED_HEADERS = [
	"Age",
	"Content-Length",
	"Content-Type",
	"Date",
	"Retry-After",
	"WWW-Authenticate",
	"X-Request-Id",
];

/** By its shape, since the `fetch` of another library may resolve to its own class. */
export function isResponse(value: unknown): value is Response {
	const { status, headers } = (value ?? {}) as Partial<Response>;
	return isStatus(status) && typeof headers?.get === "function";
}

/** A final status, or the 0 that a browser reports for a redirect. */
function isStatus(status: unknown): boolean {
	return status === 0 || (Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 999);
}

/** The head of a response whose headers cannot be read. */
export function bareHead({ status }: FetchResponse): ResponseHead {
	return { status, statusText: "", headers: new Headers() };
}

/**
 * Reads the head of a response.
 * @throws UnusableResponse if its headers are missing or cannot be read.
 */
export function readHead(response: FetchResponse): ResponseHead {
	try {
		return readParts(response);
	} catch {
		throw new UnusableResponse("its headers cannot be read");
	}
}

function readParts({ status, statusText, headers }: FetchResponse): ResponseHead {
	return { status, statusText: isReasonPhrase(statusText) ? statusText : "", headers: readHeaders(headers) };
}

/** Whether a `Response` can have this `statusText` (RFC 9112, section 4). */
function isReasonPhrase(value: unknown): boolean {
	return typeof value === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function readHeaders(headers: FetchResponse["headers"]): Headers {
	const used = USED_HEADERS.map((name): [string, unknown] => [name, headers.get(name)]);
	// The platform's own headers need no copy.
	if (headers instanceof Headers) return headers;
	const copy = new Headers();
	// A library's headers are only certain to have `get`.
	headers.forEach?.((value, name) => {
		copy.append(name, value);
	});
	for (const [name, value] of used) {
		if (typeof value === "string") copy.set(name, value);
		else if (value != null) throw new TypeError("a response header is not a string");
	}
	return copy;
}
