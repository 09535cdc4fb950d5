export type { NodeResponse } from "./answer-node.ts";
export type { NodeRequest, NodeStream } from "./node-request.ts";
export { toExpress } from "./to-express.ts";
