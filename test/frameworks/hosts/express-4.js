import express from "express-4";
import { toExpress } from "messaging-gateway/webhooks/express";
import { webhooks } from "./webhooks.ts";

const app = express();
app.all("/webhooks", toExpress(webhooks));
app.use(express.json());
app.post("/mistaken", toExpress(webhooks));
app.listen(process.env.PORT, "127.0.0.1", () => console.log("listening on"));
