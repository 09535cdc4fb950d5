import type { WebhookHandler } from "../create-webhook-handler.ts";
import { chooseRawBody, type NodeRequest } from "./node-request.ts";

/** What is needed of a response of `node:http`, and of the frameworks that are built on it. */
export interface NodeResponse {
	readonly headersSent: boolean;
	shouldKeepAlive?: boolean;
	writeHead(status: number, headers: Record<string, string>): unknown;
	end(body: string): unknown;
	destroy(): unknown;
}

/** Handles a request of Node and writes the answer. Never rejects. */
export async function answerNode(
	webhooks: WebhookHandler,
	request: NodeRequest,
	response: NodeResponse,
	hint: string,
): Promise<void> {
	try {
		const { method = "POST", headers } = request;
		const answer = await webhooks.handle({ method, headers, body: chooseRawBody(request), hint });
		if (response.headersSent) return;
		closeUnlessRead(request, response);
		response.writeHead(answer.status, { ...answer.headers });
		response.end(answer.body);
	} catch {
		// A broken connection acknowledges nothing, and a rejection would end the process.
		response.destroy();
	}
}

/** What was not read would be taken for the next request on the connection. */
export function closeUnlessRead(
	request: Pick<NodeRequest, "complete">,
	response: Pick<NodeResponse, "shouldKeepAlive">,
): void {
	if (!request.complete) response.shouldKeepAlive = false;
}
