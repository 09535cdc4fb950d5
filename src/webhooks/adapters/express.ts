/**
 * The webhook handler as a route of Express.
 *
 * See [Webhooks in your framework](../../../docs/frameworks.md#express).
 * @module messaging-gateway/webhooks/express
 */

export type { NodeRequest, NodeStream } from "./node-request.ts";
export type { NodeResponse } from "./respond-node.ts";
export { toExpress } from "./to-express.ts";
