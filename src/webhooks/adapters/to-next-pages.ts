import type { WebhookHandler } from "../create-webhook-handler.ts";
import { assertHandler } from "./assert-handler.ts";
import type { NodeRequest } from "./node-request.ts";
import { type NodeResponse, respondNode } from "./respond-node.ts";

const HINT =
	"Next.js parsed the body: export const config = { api: { bodyParser: false } } from this route's file";

/**
 * Makes an API route of the Pages Router of Next.js. Its file must turn the body parser off. A route of the App
 * Router needs no adapter: `export const POST = webhooks.fetch`.
 *
 * @example
 * ```ts
 * export default toNextPages(webhooks);
 * export const config = { api: { bodyParser: false } };
 * ```
 * @throws WebhookVerificationError `configuration` if `webhooks` is not a webhook handler.
 */
export function toNextPages(
	webhooks: WebhookHandler,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
	assertHandler("toNextPages", webhooks);
	return (request, response) => respondNode(webhooks, request, response, HINT);
}
