import { getRequestListener } from "@hono/node-server";
import { Hono, type HonoRequest } from "hono";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toHono } from "messaging-gateway/webhooks/hono";
import { afterAll, expect, test, vi } from "vitest";
import { serve } from "../support/serve.ts";
import { createObservedHandler } from "./support/observed-handler.ts";
import { testReceiver } from "./support/receiver-suite.ts";

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

/** Reads the body before the route. @returns the response to a delivery of this type, and the errors that were reported. */
async function deliverAfter(read: (request: HonoRequest) => Promise<unknown>, contentType: string) {
	const secret = "hono-secret";
	const reported: unknown[] = [];
	const on = { unknown: () => undefined };
	const onError = (error: unknown) => reported.push(error);
	const app = new Hono();
	app.use(async ({ req }, next) => {
		await read(req);
		await next();
	});
	app.post("/webhooks", toHono(createWebhookHandler({ secret, store: memoryStore(), on, onError })));
	const signed = createWebhookRequest("status", {}, { secret, url: "http://app.example/webhooks" });
	const headers = { ...Object.fromEntries(signed.headers), "content-type": contentType };
	const response = await app.fetch(new Request(signed, { headers }));
	return { status: response.status, reported };
}

test.each<[method: string, read: (request: HonoRequest) => Promise<unknown>]>([
	["text", (request) => request.text()],
	["json", (request) => request.json()],
	["arrayBuffer", (request) => request.arrayBuffer()],
	["blob", (request) => request.blob()],
])("a body that c.req.%s() read is still raw", async (_method, read) => {
	expect(await deliverAfter(read, "application/json")).toEqual({ status: 200, reported: [] });
});

test.each<[method: string, read: (request: HonoRequest) => Promise<unknown>]>([
	["formData", (request) => request.formData()],
	["parseBody", (request) => request.parseBody()],
])("a body that c.req.%s() parsed is not what Hono would write again", async (_method, read) => {
	expect(await deliverAfter(read, "application/x-www-form-urlencoded")).toMatchObject({
		status: 500,
		reported: [{ code: "raw_body_unavailable" }],
	});
});

test("a body that c.req.json() of a Hono before 4.8.4 parsed is not what it would write again", async () => {
	// As that version does it.
	const parse = async (request: HonoRequest) => {
		request.bodyCache.json = Promise.resolve(await request.raw.json());
	};
	const { status, reported } = await deliverAfter(parse, "application/json");
	expect([status, reported]).toEqual([
		500,
		[
			expect.objectContaining({
				code: "raw_body_unavailable",
				message: expect.stringContaining("a Hono before 4.8.4"),
			}),
		],
	]);
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
