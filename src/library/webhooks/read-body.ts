import { WebhookVerificationError } from "../errors.ts";
import { collectBytes, utf8, viewAttachedBytes } from "../signing/bytes.ts";

/** A raw body, byte for byte as it arrived. A string stands for its UTF-8 bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/**
 * Reads a raw body, which a getter may have, to its end, and stops at the limit. Strings, bytes and streams are raw; parsed JSON is not. Only a
 * stream is awaited: a string or bytes are returned at once, unchanged.
 * @throws WebhookVerificationError `body_too_large`, or `raw_body_unavailable` if the body was parsed or read before, or
 * its getter throws, with `hint`, or broke off.
 */
export function readRawBody(
	getBody: () => unknown,
	maxBytes: number,
	hint: string,
): RawBody | Promise<RawBody> {
	let body: unknown;
	try {
		body = getBody();
	} catch (error) {
		throw unavailable(hint, { hiddenCause: error });
	}
	const raw = typeof body === "string" ? body : viewRawBytes(body);
	if (raw !== undefined) {
		if (isLarger(raw, maxBytes)) throw tooLarge(maxBytes);
		return raw;
	}
	if (!isStream(body)) throw unavailable(hint);
	return readStream(body, maxBytes, hint);
}

/**
 * A view of a body's bytes; `undefined` if it holds none.
 * @throws WebhookVerificationError `raw_body_unavailable` for a buffer that was transferred, e.g. to a worker.
 */
export function viewRawBytes(body: unknown): Uint8Array | undefined {
	try {
		return viewAttachedBytes(body);
	} catch {
		throw new WebhookVerificationError(
			"raw_body_unavailable",
			"the raw body's buffer was transferred elsewhere: verify first, or pass a copy",
		);
	}
}

async function readStream(body: AsyncIterable<unknown>, maxBytes: number, hint: string): Promise<RawBody> {
	const collected = await collectBytes(body, maxBytes);
	if ("bytes" in collected) return collected.bytes;
	switch (collected.problem) {
		case "too_large":
			throw tooLarge(maxBytes);
		case "not_bytes":
			throw unavailable(hint);
		case "broken":
			throw unavailable("the body broke off before its end", { hiddenCause: collected.error });
	}
}

/** The unread body as a stream of bytes; `undefined` if it was read or is locked. Throws if the request throws for it. */
export function rawBodyOf(request: Request): ReadableStream<Uint8Array> | "" | undefined {
	const { body } = request;
	return request.bodyUsed || body?.locked ? undefined : (body ?? "");
}

/** What a delivery has of a request. */
type OfRequest = Pick<Request, "method" | "url" | "headers"> & {
	readonly body: ReadableStream<Uint8Array> | "" | undefined;
};

/** A request as a delivery. Its getters may throw: the handler reads each of them where it reports that. */
export function deliveryOf<More extends object>(request: Request, more: More): OfRequest & More {
	return {
		get method() {
			return request.method;
		},
		get url() {
			return request.url;
		},
		get headers() {
			return request.headers;
		},
		get body() {
			return rawBodyOf(request);
		},
		...more,
	};
}

/** What a getter returns: those of frameworks parse on demand, and throw for what they cannot parse. */
export function readField<Value>(get: () => Value): Value | undefined {
	try {
		return get();
	} catch {
		return undefined;
	}
}

/** Rejects a Content-Length above the limit before anything is read; reading checks the actual length. */
export function assertContentLength(contentLength: string | null | undefined, maxBytes: number): void {
	if (contentLength != null && Number(contentLength) > maxBytes) throw tooLarge(maxBytes);
}

function isStream(body: unknown): body is AsyncIterable<unknown> {
	return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

function isLarger(body: RawBody, maxBytes: number): boolean {
	if (typeof body !== "string") return body.byteLength > maxBytes;
	// A UTF-16 code unit is one to three bytes of UTF-8, so few strings have to be encoded to be measured.
	if (body.length * 3 <= maxBytes) return false;
	return body.length > maxBytes || utf8(body).length > maxBytes;
}

function tooLarge(maxBytes: number): WebhookVerificationError {
	return new WebhookVerificationError(
		"body_too_large",
		`the body is larger than maxBodyBytes, ${maxBytes} bytes`,
	);
}

function unavailable(hint: string, options?: { hiddenCause: unknown }): WebhookVerificationError {
	return new WebhookVerificationError("raw_body_unavailable", hint, options);
}
