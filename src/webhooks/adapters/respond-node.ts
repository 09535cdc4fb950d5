import type { WebhookHandler } from "../create-webhook-handler.ts";
import { countBytes, drain } from "./drain.ts";
import { chooseRawBody, type NodeRequest } from "./node-request.ts";

/** What is needed of a response of `node:http`, and of the frameworks that are built on it. */
export interface NodeResponse {
	readonly headersSent: boolean;
	shouldKeepAlive?: boolean;
	writeHead(status: number, headers: Record<string, string>): unknown;
	write(body: string): unknown;
	end(body: string): unknown;
	destroy(): unknown;
}

/** Handles a request of Node and writes the answer. Never rejects. */
export async function respondNode(
	webhooks: WebhookHandler,
	request: NodeRequest,
	response: NodeResponse,
	hint: string,
): Promise<void> {
	try {
		const { method = "POST", headers } = request;
		const answer = await webhooks.handle({ method, headers, body: chooseRawBody(request), hint });
		if (response.headersSent) return;
		if (request.complete) {
			response.writeHead(answer.status, { ...answer.headers });
			response.end(answer.body);
			return;
		}
		// What is not read would be taken for the next request on the connection.
		response.shouldKeepAlive = false;
		response.writeHead(answer.status, { ...answer.headers, "Content-Length": countBytes(answer.body) });
		response.write(answer.body);
		await drain(request);
		response.end("");
	} catch {
		// A broken connection acknowledges nothing, and a rejection would end the process.
		response.destroy();
	}
}
