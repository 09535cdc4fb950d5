import { Buffer } from "node:buffer";
import { once } from "node:events";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attempt } from "../local-gateway/delivery.ts";
import { ATTEMPT_TIMEOUT_MS } from "../local-gateway/delivery-attempt.ts";
import { describeFetchFailure } from "../local-gateway/failed-attempt.ts";
import { PROBE_AGENT } from "../probe-agent.ts";

/** A request to a receiver. */
export interface Outgoing {
	/** @default "POST" */
	readonly method?: string;
	/** The names as they are written. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** How long to wait between the two halves of the body. */
	readonly pauseMs?: number;
}

/** How much of a response is kept, in characters: enough to see whether it is a code or a page. */
const MAX_RESPONSE_LENGTH = 4_096;

/** Sends a request with a connection and a time limit of its own, and reports what the receiver did. Never rejects. */
export async function deliver(url: string, outgoing: Outgoing): Promise<Attempt> {
	const at = Date.now();
	const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
	const { headers } = outgoing;
	const recorded = { at, timestamp: Math.floor(at / 1_000) };
	let hasBegun = false;
	try {
		const response = await send(url, outgoing, timeout);
		hasBegun = true;
		const body = await readStart(response);
		const { statusCode: status = 0, headers: received } = response;
		const responseHeaders = { ...(received as Record<string, string>) };
		return {
			headers,
			recorded: { ...recorded, status },
			response: { headers: responseHeaders, body },
			durationMs: Date.now() - at,
		};
	} catch (error) {
		const { failure, error: reason } = describeFetchFailure(
			isBrokenPipe(error) ? CONNECTION_RESET : error,
			url,
		);
		if (!timeout.aborted) return { headers, recorded: { ...recorded, error: reason }, failure };
		return hasBegun
			? { headers, recorded: { ...recorded, error: "it didn't end in time" }, failure: "not_ended" }
			: { headers, recorded: { ...recorded, error: "no response in time" }, failure: "timed_out" };
	}
}

/** A connection that was closed while the body was written has either code. */
const CONNECTION_RESET = Object.assign(new Error(), { code: "ECONNRESET" });

function isBrokenPipe(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "EPIPE";
}

async function send(url: string, outgoing: Outgoing, signal: AbortSignal): Promise<IncomingMessage> {
	const { method = "POST", headers, pauseMs } = outgoing;
	const body = Buffer.from(outgoing.body);
	const request = (url.startsWith("https:") ? requestHttps : requestHttp)(url, {
		method,
		headers: { "User-Agent": PROBE_AGENT, "Content-Length": body.length, ...headers },
		// A connection that a receiver closes early must not break the next request.
		agent: false,
		signal,
	});
	const responding = once(request, "response");
	// Of a body that the receiver did not read to its end.
	request.on("error", () => undefined);
	if (pauseMs !== undefined) {
		const half = body.length >> 1;
		request.write(body.subarray(0, half));
		await Promise.race([responding, sleep(pauseMs)]);
		request.end(body.subarray(half));
	} else request.end(body);
	const [response]: IncomingMessage[] = await responding;
	if (response === undefined) throw new Error("no response");
	return response;
}

async function readStart(response: IncomingMessage): Promise<string> {
	let start = "";
	for await (const text of response.setEncoding("utf8"))
		if (start.length < MAX_RESPONSE_LENGTH) start += text;
	// The rest of a body that nobody reads would keep the process running.
	response.socket.destroy();
	return start.slice(0, MAX_RESPONSE_LENGTH);
}
