import type { IncomingMessage, ServerResponse } from "node:http";
import { type RunningServer, serve } from "./serve.ts";

/** A request as received over the wire. */
export interface ReceivedRequest {
	method: string;
	/** The request target on the request line. */
	target: string;
	headers: IncomingMessage["headers"];
	body: Buffer;
}

export type Respond = (response: ServerResponse, request: ReceivedRequest) => void;

export interface TestServer extends RunningServer {
	received: ReceivedRequest[];
}

/** A plain HTTP server that responds with the steps in turn; the last one stays. */
export async function startServer(...steps: readonly Respond[]): Promise<TestServer> {
	const received: ReceivedRequest[] = [];
	const server = await serve((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const { method = "", url: target = "", headers } = request;
			const whole = { method, target, headers, body: Buffer.concat(chunks) };
			received.push(whole);
			steps[Math.min(received.length, steps.length) - 1]?.(response, whole);
		});
	});
	return { ...server, received };
}

/** Responds with JSON. */
export function reply(status: number, body: unknown, headers: Record<string, string> = {}): Respond {
	return (response) => {
		response.writeHead(status, { "Content-Type": "application/json", ...headers });
		response.end(typeof body === "string" ? body : JSON.stringify(body));
	};
}

/** Breaks the connection without a response. */
export const hangUp: Respond = (response) => response.destroy();

/** Begins a response and breaks the connection within its body. */
export function breakOff(status: number): Respond {
	return (response) => {
		response.writeHead(status, { "Content-Type": "application/json", "Content-Length": "1000" });
		response.write('{"ok":true,"data":', () => response.destroy());
	};
}
