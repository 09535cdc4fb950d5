/**
 * The webhook handler as a route of the Pages Router of Next.js.
 *
 * See [Webhooks in your framework](../../../docs/frameworks.md#nextjs).
 * @module messaging-gateway/webhooks/next
 */

export type { NodeRequest, NodeStream } from "../../webhooks/adapters/node-request.ts";
export type { NodeResponse } from "../../webhooks/adapters/respond-node.ts";
export { toNextPages } from "../../webhooks/adapters/to-next-pages.ts";
