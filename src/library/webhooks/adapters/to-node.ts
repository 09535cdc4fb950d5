import type { WebhookHandler } from "../create-webhook-handler.ts";
import { assertHandler } from "./assert-handler.ts";
import type { NodeRequest } from "./node-request.ts";
import { type NodeResponse, respondNode } from "./respond-node.ts";

const HINT =
	"the request's stream was read before: pass it unread, or keep its bytes as request.rawBody; in the Pages Router of Next.js, export const config = { api: { bodyParser: false } } from the route's file";

/**
 * Turns your webhook handler into a listener of `node:http`. It answers every path, so on a server with other routes,
 * choose by path first. It is also an API route of the Pages Router of Next.js: turn off the body parser in that file.
 *
 * @example
 * ```ts
 * createServer(toNode(webhooks)).listen(3000);
 * ```
 * @example
 * ```ts
 * export default toNode(webhooks); // pages/api/webhooks.ts
 * export const config = { api: { bodyParser: false } };
 * ```
 * @throws ConfigurationError if `webhooks` is not a webhook handler.
 */
export function toNode(
	webhooks: WebhookHandler,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
	assertHandler("toNode", webhooks);
	return (request, response) => respondNode(webhooks, request, response, "toNode", HINT);
}
