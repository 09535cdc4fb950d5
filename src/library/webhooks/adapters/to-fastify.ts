import type { WebhookHandler } from "../create-webhook-handler.ts";
import { DELIVERY_METHODS } from "../methods.ts";
import { hasMethod, rejectHost } from "../wrong-host.ts";
import { assertHandler } from "./assert-handler.ts";
import { countBytes, drain } from "./drain.ts";
import { type NodeRequest, type NodeStream, unreadBody } from "./node-request.ts";
import type { NodeResponse } from "./respond-node.ts";

/** The part of a Fastify request that the adapter uses. */
export interface FastifyRequestLike {
	readonly method: string;
	/** The URL as the sender wrote it, before `rewriteUrl`. */
	readonly originalUrl: string;
	readonly headers: NodeRequest["headers"];
	readonly body: unknown;
	readonly raw: Pick<NodeRequest, "complete" | "iterator">;
}

/** The part of a Fastify reply that the adapter uses. */
export interface FastifyReplyLike {
	readonly raw: Pick<NodeResponse, "shouldKeepAlive">;
	code(status: number): unknown;
	headers(headers: Record<string, string>): unknown;
	send(body: unknown): unknown;
}

/** The part of Fastify that the adapter uses to register a plugin. */
export interface FastifyScopeLike {
	removeAllContentTypeParsers(): void;
	addContentTypeParser(
		contentType: string,
		parser: (request: unknown, payload: NodeStream, done: (error: null, body: unknown) => void) => void,
	): unknown;
	route(options: {
		method: (typeof DELIVERY_METHODS)[number][];
		url: string;
		handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>;
	}): unknown;
}

const HINT =
	"a hook read or replaced the body before this route: leave payload and request.body alone under its prefix";

/**
 * Turns your webhook handler into a plugin of Fastify. Register it with a prefix. It adds one route there for POST,
 * PUT, PATCH and DELETE, without a body parser. Your other routes keep theirs.
 *
 * @example
 * ```ts
 * app.register(toFastify(webhooks), { prefix: "/webhooks" });
 * ```
 * @throws ConfigurationError if `webhooks` is not a webhook handler.
 */
export function toFastify(webhooks: WebhookHandler): (scope: FastifyScopeLike) => Promise<void> {
	assertHandler("toFastify", webhooks);
	return async (scope, ...others: readonly unknown[]) => {
		if (!hasMethod(scope, "addContentTypeParser")) {
			await rejectHost(webhooks.handle, "toFastify", scope, ...others);
			return;
		}
		scope.removeAllContentTypeParsers();
		// Left unread: the handler's own limit and response apply.
		scope.addContentTypeParser("*", (_request, payload, done) => done(null, unreadBody(payload)));
		const handler = async (request: FastifyRequestLike, reply: FastifyReplyLike): Promise<unknown> => {
			const { method, originalUrl: url, headers, raw } = request;
			const response = await webhooks.handle({
				method,
				url,
				headers,
				// A getter of a hook may throw, and the handler reports it.
				get body() {
					const { body = "" } = request;
					return body;
				},
				hint: HINT,
			});
			reply.code(response.status);
			reply.headers({ ...response.headers });
			if (raw.complete) return reply.send(response.body);
			// Unread bytes would be parsed as the next request on the connection.
			reply.raw.shouldKeepAlive = false;
			reply.headers({ "Content-Length": countBytes(response.body) });
			const responseThenDrain = new ReadableStream<Uint8Array>({
				async start(controller) {
					controller.enqueue(new TextEncoder().encode(response.body));
					await drain(raw);
					controller.close();
				},
			});
			return reply.send(responseThenDrain);
		};
		scope.route({ method: [...DELIVERY_METHODS], url: "/", handler });
	};
}
