import { Buffer } from "node:buffer";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { buffer } from "node:stream/consumers";
import { isLoopback } from "../../library/signing/loopback.ts";
import { messageOf } from "./failure.ts";

/** The application's response to a forwarded request. */
export interface ForwardedResponse {
	readonly status: number;
	/** Alternating names and values, like `rawHeaders` of Node. */
	readonly headers: string[];
	readonly body: Buffer;
}

/** The same timeout as the local gateway's, in milliseconds. */
const TIMEOUT_MS = 10_000;

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
	try {
		const response = await new Promise<IncomingMessage>((resolve, reject) => {
			const signal = AbortSignal.timeout(TIMEOUT_MS);
			// The shared agent may have a proxy of the environment, which would look for localhost on its own machine.
			const agent = isLoopback(target.hostname) ? false : undefined;
			send(target, { method: message.method, headers, agent, signal }, resolve).on("error", reject).end(body);
		});
		return {
			status: response.statusCode ?? 502,
			headers: headersToPass(response),
			body: await buffer(response),
		};
	} catch (error) {
		const reason = messageOf(error);
		return { status: 502, headers: [], body: Buffer.from(`not forwarded: ${reason}`) };
	}
}

function headersToPass({ rawHeaders }: IncomingMessage, ...alsoDropped: string[]): string[] {
	const dropped = new Set([...HOP_BY_HOP_HEADERS, ...alsoDropped]);
	return rawHeaders.filter((_, at) => !dropped.has((rawHeaders[at - (at % 2)] ?? "").toLowerCase()));
}
