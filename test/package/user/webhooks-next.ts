import { toNextPages } from "messaging-gateway/webhooks/next";
import type { NextApiHandler } from "next";
import { webhooks } from "./webhooks.js";

export const handler: NextApiHandler = toNextPages(webhooks);
