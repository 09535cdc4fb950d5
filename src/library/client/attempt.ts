import { createAbortController, supportsCacheMode } from "../host.ts";
import { type Clock, monotonicNow } from "../runtime.ts";
import { collectBytes, GrowingBytes, utf8 } from "../signing/bytes.ts";
import {
	type AttemptFailure,
	classifyFailure,
	TIMED_OUT,
	TOO_LARGE,
	UnusableResponse,
} from "./attempt-failure.ts";
import type { ClockSkew } from "./clock-skew.ts";
import type { CustomFetch, FetchInit, FetchResponse } from "./custom-fetch.ts";
import type { Deadline } from "./deadline.ts";
import type { PreparedRequest } from "./request.ts";
import { type ReadResponse, type ResponseHead, readResponse, USED_HEADERS } from "./response.ts";
import { countWrites } from "./written-requests.ts";

/** How requests are sent, and how much of a response is read. */
export interface Transport {
	readonly fetch: CustomFetch;
	readonly clock: Clock;
	/** How far the gateway's clock is ahead of ours. @default not at all */
	readonly skew?: Pick<ClockSkew, "correct">;
	readonly maxResponseBytes: number;
}

/** How one attempt is made. */
export interface AttemptOptions {
	/** All headers; a custom fetch gets this very object. */
	headers: Record<string, string>;
	timeoutMs: number;
	/** When the whole call must have ended. */
	deadline: Deadline;
	/** Further fields of `fetch`'s second argument. */
	init?: object;
}

/** How an attempt ended: with a response, or with a failure and what had arrived of the response. */
export type AttemptResult =
	| { readonly response: ReadResponse; readonly failure: undefined }
	| { readonly response: ReadResponse; readonly failure: AttemptFailure }
	| { readonly response: undefined; readonly failure: AttemptFailure };

/**
 * Makes one attempt: sends the request, and reads its whole response within its time and size limits.
 * @throws what the deadline throws once it is over, and what the host throws to control itself; nothing else.
 */
export async function makeAttempt(
	request: PreparedRequest,
	{ fetch, clock, skew, maxResponseBytes }: Transport,
	{ headers, timeoutMs, deadline, init: further }: AttemptOptions,
): Promise<AttemptResult> {
	const { method, url, body: sentBody } = request;
	const controller = createAbortController();
	const { signal } = controller;
	/** What has arrived of the response. */
	const arrived: { status?: number; head?: ResponseHead } = {};
	const arrivedBody = new GrowingBytes();
	const written = countWrites(headers["X-Nonce"] ?? headers["x-nonce"] ?? "");
	const sentAt = monotonicNow(clock);

	async function exchange(): Promise<ReadResponse> {
		// Redirects are not followed: the signature would go with them to another address.
		const init: FetchInit = { ...further, method, headers, redirect: "manual", signal };
		if (sentBody !== undefined) init.body = sentBody;
		// In Next.js, a message that a page sends would otherwise be sent when the page is built.
		if (supportsCacheMode(fetch)) init.cache = "no-store";
		// Not a `Request`: some implementations reject foreign ones.
		const response: unknown = await fetch(url, init);
		if (!isResponse(response)) throw new UnusableResponse("fetch didn't resolve to a Response");
		// The status is known even if the headers cannot be read.
		arrived.status = response.status;
		const head = readHead(response);
		arrived.head = head;
		return read(head, await readBody(response, head));
	}

	async function readBody(response: Response, { headers }: ResponseHead): Promise<Uint8Array> {
		const { body } = response;
		if (body === null) return new Uint8Array();
		// Some libraries' responses have no stream of the web, and can only be read whole.
		if (typeof body?.getReader !== "function") {
			const text: unknown = await response.text();
			if (typeof text !== "string") throw new UnusableResponse("its text() didn't resolve to a string");
			const bytes = utf8(text);
			if (bytes.length > maxResponseBytes) throw TOO_LARGE;
			return bytes;
		}
		const announcedBytes = Number(headers.get("Content-Length"));
		const collected = await collectBytes(body, maxResponseBytes, {
			announcedBytes,
			signal,
			into: arrivedBody,
		});
		if ("bytes" in collected) return collected.bytes;
		if (collected.problem === "broken") throw collected.error;
		if (collected.problem === "too_large") throw TOO_LARGE;
		throw new UnusableResponse("its body isn't a stream of bytes");
	}

	function read(head: ResponseHead, body: Uint8Array | undefined): ReadResponse {
		const receivedAt = clock.now();
		const roundTripMs = monotonicNow(clock) - sentAt;
		const begin = body === undefined ? arrivedBody.bytes : undefined;
		return readResponse(
			{ ...head, body, begin, roundTripMs, receivedAt },
			skew?.correct(receivedAt) ?? receivedAt,
		);
	}

	try {
		const response = await deadline.limit(exchange(), {
			timeoutMs,
			timedOut: TIMED_OUT,
			stop: (reason) => controller.abort(reason),
		});
		return { response, failure: undefined };
	} catch (error) {
		deadline.throwIfOver(error);
		const { status, head } = arrived;
		if (status === undefined)
			return { response: undefined, failure: classifyFailure(error, false, written.times()) };
		const response = read(head ?? { status, statusText: "", headers: new Map() }, undefined);
		return { response, failure: classifyFailure(error, true) };
	} finally {
		written.end();
	}
}

/** By its shape, since the `fetch` of another library may resolve to its own class. */
function isResponse(value: unknown): value is Response {
	const { status, headers } = (value ?? {}) as Partial<Response>;
	// A final status, or the 0 that a browser reports for a redirect.
	const isStatus =
		status === 0 || (Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 999);
	return isStatus && typeof headers?.get === "function";
}

/**
 * Copies what is used of the head of a response, so that reading it cannot fail later. No `Headers` is made for it: where
 * nothing else has, that would load the platform's `fetch`.
 * @throws UnusableResponse if its headers are missing or cannot be read.
 */
function readHead({ status, statusText, headers: allHeaders }: FetchResponse): ResponseHead {
	const headers = new Map<string, string>();
	try {
		for (const name of USED_HEADERS) {
			const value: unknown = allHeaders.get(name);
			if (typeof value === "string") headers.set(name, value);
			// What is no string is described below.
			else if (value != null) throw value;
		}
	} catch {
		throw new UnusableResponse("its headers can't be read");
	}
	// What a `Response` can have as its `statusText` (RFC 9112, section 4).
	const isReasonPhrase = typeof statusText === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(statusText);
	return { status, statusText: isReasonPhrase ? statusText : "", headers, allHeaders };
}
