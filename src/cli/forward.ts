import { Buffer } from "node:buffer";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { buffer } from "node:stream/consumers";

/** What an application answered to what was forwarded. */
export interface ForwardedResponse {
	readonly status: number;
	/** Names and values in turn, as they came. */
	readonly headers: string[];
	readonly body: Buffer;
}

/** As long as a gateway waits. */
const TIMEOUT_MS = 10_000;

/** They belong to one connection, not to the message (RFC 9110, section 7.6.1). */
const OF_THE_CONNECTION = ["connection", "keep-alive", "transfer-encoding", "content-length", "upgrade"];

/** Hands a request on with the same bytes and the same headers; `Host` alone names the application. */
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
			send(target, { method: message.method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) }, resolve)
				.on("error", reject)
				.end(body);
		});
		return {
			status: response.statusCode ?? 502,
			headers: headersToPass(response),
			body: await buffer(response),
		};
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { status: 502, headers: [], body: Buffer.from(`not forwarded: ${reason}`) };
	}
}

function headersToPass({ rawHeaders }: IncomingMessage, ...besides: string[]): string[] {
	const left = new Set([...OF_THE_CONNECTION, ...besides]);
	return rawHeaders.filter((_, at) => !left.has((rawHeaders[at - (at % 2)] ?? "").toLowerCase()));
}
