import { Hono } from "hono";
import { toHono } from "messaging-gateway/webhooks/hono";
import { webhooks } from "./webhooks.js";

const app = new Hono<{ Bindings: { SECRET: string } }>();
app.post("/webhooks", toHono(webhooks));
