import { WebhookVerificationError } from "../errors.ts";
import { collectBytes } from "../signing/byte-stream.ts";
import { utf8 } from "../signing/bytes.ts";

/**
 * Reads a raw body to its end, and stops at the limit. Text, bytes and streams are raw; parsed JSON is not.
 * @throws WebhookVerificationError `body_too_large`, or `raw_body_unavailable` with `hint` where it was parsed
 * or read before, or broke off.
 */
export async function readRawBody(body: unknown, maxBytes: number, hint: string): Promise<Uint8Array> {
	if (typeof body === "string") return limited(utf8(body), maxBytes);
	if (body instanceof Uint8Array) return limited(body, maxBytes);
	if (body instanceof ArrayBuffer) return limited(new Uint8Array(body), maxBytes);
	if (!isStream(body)) throw unavailable(hint);
	const collected = await collectBytes(body, maxBytes);
	if ("bytes" in collected) return collected.bytes;
	switch (collected.problem) {
		case "too_large":
			throw tooLarge(maxBytes);
		case "not_bytes":
			throw unavailable(hint);
		case "broken":
			throw unavailable("the body broke off before its end");
	}
}

/** A limit that is no number would be none at all. */
export function assertBodyLimit(maxBytes: number): void {
	if (Number.isFinite(maxBytes) && maxBytes > 0) return;
	throw new WebhookVerificationError("configuration", "maxBodyBytes must be a number above 0");
}

/** The unread body as a stream of bytes; `undefined` where it was read already. */
export function rawBodyOf(request: Request): ReadableStream<Uint8Array> | "" | undefined {
	return request.bodyUsed ? undefined : (request.body ?? "");
}

/** Refuses by the header alone what says itself that it is too large; the reading checks what it really is. */
export function assertContentLength(contentLength: string | null | undefined, maxBytes: number): void {
	if (contentLength != null && Number(contentLength) > maxBytes) throw tooLarge(maxBytes);
}

function isStream(body: unknown): body is AsyncIterable<unknown> {
	return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

function limited(bytes: Uint8Array, maxBytes: number): Uint8Array {
	if (bytes.length > maxBytes) throw tooLarge(maxBytes);
	return bytes;
}

function tooLarge(maxBytes: number): WebhookVerificationError {
	return new WebhookVerificationError(
		"body_too_large",
		`the body is larger than maxBodyBytes, ${maxBytes} bytes`,
	);
}

function unavailable(hint: string): WebhookVerificationError {
	return new WebhookVerificationError("raw_body_unavailable", hint);
}
