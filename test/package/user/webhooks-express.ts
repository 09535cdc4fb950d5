import express from "express";
import { toExpress } from "messaging-gateway/webhooks/express";
import { webhooks } from "./webhooks.js";

const app = express();
app.post("/webhooks", toExpress(webhooks));
app.post("/raw", express.raw({ type: () => true }), toExpress(webhooks));
