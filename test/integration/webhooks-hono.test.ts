import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toHono } from "messaging-gateway/webhooks/hono";
import { afterAll, expect, test, vi } from "vitest";
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

test("the bindings and the context of Workers reach the secret and the reports", async () => {
	const secret = "hono-secret";
	const read = vi.fn(([bindings]: readonly unknown[]) => (bindings as { SECRET: string }).SECRET);
	const webhooks = createWebhookHandler({
		secret: { fromPlatform: read },
		store: memoryStore(),
		on: { unknown: () => undefined },
		onError: async () => undefined,
	});
	const app = new Hono().post("/webhooks", toHono(webhooks));
	const url = "http://app.example/webhooks";
	const waitUntil = vi.fn();
	const context = { waitUntil, passThroughOnException: () => undefined, props: {} };
	const bindings = { SECRET: secret };
	const right = createWebhookRequest("inbound_message", {}, { secret, url });
	expect((await app.fetch(right.clone(), bindings, context)).status).toBe(200);
	const wrong = createWebhookRequest("inbound_message", {}, { secret: "another", url });
	expect((await app.fetch(wrong, bindings, context)).status).toBe(401);
	expect(waitUntil).toHaveBeenCalledOnce();
	// Elsewhere Hono has no context.
	expect((await app.fetch(right, bindings)).status).toBe(200);
});
