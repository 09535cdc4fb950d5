export type { NodeResponse } from "./answer-node.ts";
export type { NodeRequest, NodeStream } from "./node-request.ts";
export { toNode } from "./to-node.ts";
