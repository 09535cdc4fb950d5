/**
 * The webhook handler as a route of the Pages Router of Next.js.
 *
 * See [Webhooks in your framework](../../../docs/frameworks.md#nextjs).
 * @module messaging-gateway/webhooks/next
 */

export type { NodeRequest, NodeStream } from "./node-request.ts";
export type { NodeResponse } from "./respond-node.ts";
export { toNextPages } from "./to-next-pages.ts";
