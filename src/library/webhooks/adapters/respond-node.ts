import { ConfigurationError } from "../../errors.ts";
import type { WebhookHandler } from "../create-webhook-handler.ts";
import { isNodeResponse, rejectHost, reportError } from "../wrong-host.ts";
import { countBytes, drain } from "./drain.ts";
import { chooseRawBody, type NodeRequest } from "./node-request.ts";

/** The part of a `node:http` response that the adapters use, also from frameworks built on it. */
export interface NodeResponse {
	readonly headersSent: boolean;
	shouldKeepAlive?: boolean;
	writeHead(status: number, headers: Record<string, string>): unknown;
	write(body: string): unknown;
	end(body: string): unknown;
	destroy(): unknown;
}

/**
 * Handles a request of Node and writes the response.
 * @throws ConfigurationError if the response is none of Node. Otherwise it never rejects.
 */
export async function respondNode(
	webhooks: WebhookHandler,
	request: NodeRequest,
	response: NodeResponse,
	adapter: string,
	hint: string,
): Promise<void> {
	if (!isNodeResponse(response)) {
		await rejectHost(webhooks.handle, adapter, request, response);
		return;
	}
	try {
		// The handler reads what a getter may throw for, and reports it.
		const result = await webhooks.handle({
			get method() {
				return request.method;
			},
			get url() {
				return request.originalUrl ?? request.url;
			},
			get headers() {
				return request.headers;
			},
			get body() {
				return chooseRawBody(request);
			},
			hint,
		});
		if (response.headersSent) return;
		if (request.complete) {
			response.writeHead(result.status, { ...result.headers });
			response.end(result.body);
			return;
		}
		// Unread bytes would be parsed as the next request on the connection.
		response.shouldKeepAlive = false;
		response.writeHead(result.status, { ...result.headers, "Content-Length": countBytes(result.body) });
		response.write(result.body);
		await drain(request);
		response.end("");
	} catch (cause) {
		// A broken connection acknowledges nothing, and a rejection would end the process.
		response.destroy();
		const error = new ConfigurationError("the response couldn't be written, so its connection was closed", {
			cause,
		});
		await reportError(webhooks.handle, error).catch(() => undefined);
	}
}
