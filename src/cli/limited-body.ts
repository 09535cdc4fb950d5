import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { systemClock } from "../runtime.ts";
import { collectBytes } from "../signing/byte-stream.ts";

/** The largest body that `listen` reads, in bytes: the default of the webhook handler. */
const MAX_BODY_BYTES = 1024 * 1024;

/** How long a sender of too much may take to finish what it sends, so that it sees the response. */
const DISCARD_MS = 5_000;

/** Reads a body whole; `undefined` as soon as it is, or says that it is, larger than the limit. */
export async function readLimitedBody(request: IncomingMessage): Promise<Buffer | undefined> {
	if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return undefined;
	// The response still has to go over the connection.
	const collected = await collectBytes(request.iterator({ destroyOnReturn: false }), MAX_BODY_BYTES);
	if ("bytes" in collected) return Buffer.from(collected.bytes);
	if (collected.problem === "broken") throw collected.error;
	return undefined;
}

/** Responds 413 at once, and discards what is still on its way: a closed connection would hide the response. */
export function respondTooLarge(request: IncomingMessage, response: ServerResponse): void {
	const body = "too_large";
	response.writeHead(413, { Connection: "close", "Content-Length": body.length });
	response.write(body);
	const cancelTimer = systemClock.setTimer(() => request.destroy(), DISCARD_MS);
	request.once("close", cancelTimer).once("end", () => response.end());
	request.resume();
}
