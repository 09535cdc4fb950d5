import type { Limits } from "../../library/catalogue/limits.ts";
import { collectBytes } from "../../library/signing/bytes.ts";

/** A request as it arrives, from a Fetch API Request or from another server. */
export interface IncomingRequest {
	/** The HTTP method. */
	method: string;
	/** The absolute URL. */
	url: string;
	/** The headers. */
	headers: Headers;
	/** The body's chunks, or `null` if there is none. */
	body: AsyncIterable<Uint8Array | ArrayBuffer> | ReadableStream<Uint8Array> | null;
	/** Whether its connection has carried another request before. */
	isConnectionReused?: boolean | undefined;
}

/** Adapts a Fetch API Request. That of React Native has no stream, and can only be read whole. */
export function toIncomingRequest(request: Request): IncomingRequest {
	async function* readWhole() {
		yield request.arrayBuffer();
	}
	const { method, url, headers, body = readWhole() } = request;
	return { method, url, headers, body };
}

/** Reads a whole body; `undefined` as soon as it is too large. */
export async function readBody(
	body: IncomingRequest["body"],
	maxBytes: number,
): Promise<Uint8Array | undefined> {
	if (body === null) return new Uint8Array();
	const collected = await collectBytes(body, maxBytes);
	if ("bytes" in collected) return collected.bytes;
	if (collected.problem === "broken") throw collected.error;
	return undefined;
}

/** The bytes of the largest request within the limits: base64 has four characters for three bytes, JSON six for one. */
export function maxRequestBytes({ attachments, attachmentBytes, textLength }: Limits): number {
	const envelope = 1_000_000;
	return attachments * Math.ceil(attachmentBytes / 3) * 4 + textLength * 6 + envelope;
}
