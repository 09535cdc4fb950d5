import { createServer } from "node:http";
import { toNode } from "messaging-gateway/webhooks/node";
import { webhooks } from "./webhooks.js";

createServer(toNode(webhooks)).listen(3000);
