import type { WebhookHandler } from "../create-webhook-handler.ts";
import { assertHandler } from "./assert-handler.ts";
import type { NodeRequest } from "./node-request.ts";
import { type NodeResponse, respondNode } from "./respond-node.ts";

const HINT =
	"a body parser ran before this route: put the route above app.use(express.json()), or keep its bytes with express.raw({ type: () => true }); in Nest, create the application with { rawBody: true }";

/**
 * Turns your webhook handler into a route of Express. Put it above `app.use(express.json())`, since it reads the raw
 * body itself.
 *
 * @example
 * ```ts
 * app.all("/webhooks", toExpress(webhooks));
 * ```
 * @throws ConfigurationError if `webhooks` is not a webhook handler.
 */
export function toExpress(
	webhooks: WebhookHandler,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
	assertHandler("toExpress", webhooks);
	return (request, response) => respondNode(webhooks, request, response, "toExpress", HINT);
}
