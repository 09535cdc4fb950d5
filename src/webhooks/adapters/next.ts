/**
 * The webhook handler as a route of the Pages Router of Next.js.
 *
 * See [Webhooks in your framework](../../../docs/frameworks.md#nextjs).
 * @module messaging-gateway/webhooks/next
 */
export type { NodeResponse } from "./answer-node.ts";
export type { NodeRequest, NodeStream } from "./node-request.ts";
export { toNextPages } from "./to-next-pages.ts";
