/**
 * The webhook handler as a route of Express.
 *
 * See [Webhooks in your framework](../../../docs/frameworks.md#express).
 * @module messaging-gateway/webhooks/express
 */
export type { NodeResponse } from "./answer-node.ts";
export type { NodeRequest, NodeStream } from "./node-request.ts";
export { toExpress } from "./to-express.ts";
