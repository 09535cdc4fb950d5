import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toHono } from "messaging-gateway/webhooks/hono";
import { afterAll, expect, test } from "vitest";
import { createObservedHandler } from "../support/observed-handler.ts";
import { testReceiver } from "../support/receiver-suite.ts";
import { serve } from "../support/serve.ts";

// The listener replaces them for good, and other files share this worker.
const { Request, Response } = globalThis;
afterAll(() => void Object.assign(globalThis, { Request, Response }));

testReceiver("Hono", {
	hint: "c.req.raw",
	async start() {
		const webhooks = createObservedHandler();
		const app = new Hono();
		app.all("/webhooks", toHono(webhooks));
		app.use("/mistaken", async (context, next) => {
			await context.req.raw.json();
			await next();
		});
		app.post("/mistaken", toHono(webhooks));
		const server = await serve(getRequestListener(app.fetch));
		return { ...server, url: `${server.url}/webhooks`, mistakenUrl: `${server.url}/mistaken` };
	},
});

test("a body that a middleware read with c.req is still raw", async () => {
	const secret = "hono-secret";
	const app = new Hono();
	app.use(async (context, next) => {
		await context.req.json();
		await next();
	});
	app.post(
		"/webhooks",
		toHono(createWebhookHandler({ secret, store: memoryStore(), on: { unknown: () => undefined } })),
	);
	const response = await app.fetch(
		createWebhookRequest("inbound_message", { text: "é 🎉" }, { secret, url: "http://app.example/webhooks" }),
	);
	expect([response.status, await response.text()]).toEqual([200, ""]);
});
