/**
 * The webhook handler as a listener of `node:http`.
 *
 * See [Webhooks in your framework](../../../docs/frameworks.md#node-workers-bun-deno).
 * @module messaging-gateway/webhooks/node
 */
export type { NodeResponse } from "./answer-node.ts";
export type { NodeRequest, NodeStream } from "./node-request.ts";
export { toNode } from "./to-node.ts";
