import { fromNodeMiddleware } from "h3";
import { toNode } from "messaging-gateway/webhooks/node";
import { webhooks } from "../webhooks";

export default fromNodeMiddleware(toNode(webhooks));
