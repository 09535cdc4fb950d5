import { Buffer } from "node:buffer";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isLoopback } from "../../library/signing/loopback.ts";
import { ATTEMPT_TIMEOUT_MS } from "../local-gateway/delivery-attempt.ts";
import { describeFetchFailure } from "../local-gateway/failed-attempt.ts";

/** The application's response to a forwarded request. */
export interface ForwardedResponse {
	readonly status: number;
	/** Alternating names and values, like `rawHeaders` of Node. */
	readonly headers: string[];
	readonly body: Buffer;
	/** Why there is none; the status and the body are then ours. */
	readonly problem?: string;
}

/** How much of a response is passed on, in bytes: the sender of a webhook needs its status. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Headers of one connection (RFC 9110, section 7.6.1), and the length, since each hop frames the message itself. */
const HOP_BY_HOP_HEADERS = ["connection", "keep-alive", "transfer-encoding", "content-length", "upgrade"];

/** Forwards a request with the same bytes and headers, except `Host` and those of the connection. */
export async function forward(
	message: IncomingMessage,
	body: Buffer,
	url: string,
): Promise<ForwardedResponse> {
	const target = new URL(url);
	const headers = [
		"Host",
		target.host,
		"Content-Length",
		String(body.length),
		...headersToPass(message, "host"),
	];
	const send = target.protocol === "https:" ? requestHttps : requestHttp;
	const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
	try {
		const response = await new Promise<IncomingMessage>((resolve, reject) => {
			// The shared agent may have a proxy of the environment, which would look for localhost on its own machine.
			const agent = isLoopback(target.hostname) ? false : undefined;
			send(target, { method: message.method, headers, agent, signal }, resolve).on("error", reject).end(body);
		});
		return {
			status: response.statusCode ?? 502,
			headers: headersToPass(response),
			body: await readStart(response),
		};
	} catch (error) {
		const problem = signal.aborted
			? `no complete response within ${ATTEMPT_TIMEOUT_MS / 1_000} s`
			: describeFetchFailure(error, url).error;
		return { status: 502, headers: [], body: Buffer.from(`not forwarded: ${problem}`), problem };
	}
}

/** Reads a response to its end, and keeps its first bytes. */
async function readStart(response: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of response) {
		if (size < MAX_RESPONSE_BYTES) chunks.push(chunk);
		size += chunk.length;
	}
	return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES);
}

function headersToPass({ rawHeaders }: IncomingMessage, ...alsoDropped: string[]): string[] {
	const dropped = new Set([...HOP_BY_HOP_HEADERS, ...alsoDropped]);
	return rawHeaders.filter((_, at) => !dropped.has((rawHeaders[at - (at % 2)] ?? "").toLowerCase()));
}
