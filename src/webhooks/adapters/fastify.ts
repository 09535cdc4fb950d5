export type { NodeStream } from "./node-request.ts";
export {
	type FastifyReplyLike,
	type FastifyRequestLike,
	type FastifyScopeLike,
	toFastify,
} from "./to-fastify.ts";
