import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { collectBytes } from "../signing/byte-stream.ts";
import { drain } from "../webhooks/adapters/drain.ts";

/** The largest body that `listen` reads, in bytes: the default of the webhook handler. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Reads a whole body; `undefined` as soon as its bytes or its `Content-Length` exceed the limit. */
export async function readLimitedBody(request: IncomingMessage): Promise<Buffer | undefined> {
	const announcedBytes = Number(request.headers["content-length"] ?? 0);
	// The connection is still needed for the response.
	const body = request.iterator({ destroyOnReturn: false });
	const collected = await collectBytes(body, MAX_BODY_BYTES, { announcedBytes });
	if ("bytes" in collected) return Buffer.from(collected.bytes);
	if (collected.problem === "broken") throw collected.error;
	return undefined;
}

/** Responds with 413 at once and discards the rest of the body; closing the connection could lose the response. */
export async function respondTooLarge(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const body = "too_large";
	response.writeHead(413, { Connection: "close", "Content-Length": body.length });
	response.write(body);
	await drain(request);
	response.end();
}
