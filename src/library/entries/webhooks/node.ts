/**
 * Turns your webhook handler into a listener of `node:http`, or a route of the Pages Router of Next.js.
 *
 * See [Webhooks in your framework](../../../../docs/frameworks/node.md).
 * @module messaging-gateway/webhooks/node
 */

export type { NodeRequest, NodeStream } from "../../webhooks/adapters/node-request.ts";
export type { NodeResponse } from "../../webhooks/adapters/respond-node.ts";
export { toNode } from "../../webhooks/adapters/to-node.ts";
