import type { FetchResponse } from "./custom-fetch.ts";

/** An answer without its body: all that is used of what a `fetch` resolved to, so that nothing of it can fail later. */
export interface ResponseHead {
	readonly status: number;
	readonly statusText: string;
	readonly headers: Headers;
}

/** What a `fetch` resolved to is of no use. Unlike those of a foreign error, its words are ours, and may be shown. */
export class UnusableResponse extends Error {
	override readonly name = "UnusableResponse";
}

/** The headers that are looked at anywhere; what else there is, is for the caller. */
const USED_HEADERS = [
	"Age",
	"Content-Length",
	"Content-Type",
	"Date",
	"Retry-After",
	"WWW-Authenticate",
	"X-Request-Id",
];

/** By its shape, since the `fetch` of another library answers with a class of its own. */
export function isResponse(value: unknown): value is Response {
	const { status, headers } = (value ?? {}) as Partial<Response>;
	return isStatus(status) && typeof headers?.get === "function";
}

/** A final status, or the 0 that a browser shows of a redirect. */
function isStatus(status: unknown): boolean {
	return status === 0 || (Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 999);
}

/** What there is of an answer whose headers cannot be read. */
export function bareHead({ status }: FetchResponse): ResponseHead {
	return { status, statusText: "", headers: new Headers() };
}

/**
 * Reads the head of an answer.
 * @throws UnusableResponse when its headers fail, or are none.
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

/** Whether a `Response` can have these words beside its status (RFC 9112, section 4). */
function isReasonPhrase(text: unknown): boolean {
	return typeof text === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

function readHeaders(headers: FetchResponse["headers"]): Headers {
	const used = USED_HEADERS.map((name): [string, unknown] => [name, headers.get(name)]);
	// The platform's own need no copy.
	if (headers instanceof Headers) return headers;
	const copy = new Headers();
	// Of a library's, `get` alone is certain.
	headers.forEach?.((value, name) => {
		copy.append(name, value);
	});
	for (const [name, value] of used) {
		if (typeof value === "string") copy.set(name, value);
		else if (value != null) throw new TypeError("a header of the answer is no string");
	}
	return copy;
}
