/**
 * Turns your webhook handler into a route of Express.
 *
 * See [Webhooks in your framework](../../../../docs/frameworks/express.md).
 * @module messaging-gateway/webhooks/express
 */

export type { NodeRequest, NodeStream } from "../../webhooks/adapters/node-request.ts";
export type { NodeResponse } from "../../webhooks/adapters/respond-node.ts";
export { toExpress } from "../../webhooks/adapters/to-express.ts";
