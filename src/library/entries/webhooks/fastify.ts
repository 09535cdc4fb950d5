/**
 * Turns your webhook handler into a plugin of Fastify.
 *
 * See [Webhooks in your framework](../../../../docs/frameworks/fastify.md).
 * @module messaging-gateway/webhooks/fastify
 */
export type { NodeStream } from "../../webhooks/adapters/node-request.ts";
export {
	type FastifyReplyLike,
	type FastifyRequestLike,
	type FastifyScopeLike,
	toFastify,
} from "../../webhooks/adapters/to-fastify.ts";
