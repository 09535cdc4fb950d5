import fastify from "fastify";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { webhooks } from "./webhooks.js";

const app = fastify();
app.register(toFastify(webhooks), { prefix: "/webhooks" });
