import { createServer } from "node:http";
import { toNode } from "messaging-gateway/webhooks/node";
import type { NextApiHandler } from "next";
import { webhooks } from "./webhooks.js";

createServer(toNode(webhooks)).listen(3000);

export const handler: NextApiHandler = toNode(webhooks);
