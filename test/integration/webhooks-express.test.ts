import { buffer } from "node:stream/consumers";
import express, { type RequestHandler } from "express";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { describe, expect, test } from "vitest";
import { serve } from "../support/serve.ts";
import { createObservedHandler } from "./support/observed-handler.ts";
import { testReceiver } from "./support/receiver-suite.ts";

testReceiver("Express", {
	hint: "above app.use(express.json())",
	drains: true,
	async start() {
		const webhooks = createObservedHandler();
		const app = express();
		app.all("/webhooks", toExpress(webhooks));
		app.use(express.json());
		app.post("/mistaken", toExpress(webhooks));
		const server = await serve(app);
		return { ...server, url: `${server.url}/webhooks`, mistakenUrl: `${server.url}/mistaken` };
	},
});

const SECRET = "express-secret";

/** Delivers an event to a route behind these middlewares, and shows the response. */
async function deliverThrough(...middlewares: RequestHandler[]): Promise<[status: number, body: string]> {
	const webhooks = createWebhookHandler({
		secret: SECRET,
		store: memoryStore(),
		on: { unknown: () => undefined },
		onError: () => undefined,
	});
	const app = express();
	if (middlewares.length > 0) app.use(...middlewares);
	app.all("/webhooks", toExpress(webhooks));
	await using server = await serve(app);
	const url = `${server.url}/webhooks`;
	const response = await fetch(createWebhookRequest("inbound_message", {}, { url, secret: SECRET }));
	return [response.status, await response.text()];
}

describe("before a route of Express", () => {
	test("express.raw() for every type may stand, and express.json() after it", async () => {
		expect(await deliverThrough(express.raw({ type: () => true }), express.json())).toEqual([200, ""]);
	});

	test("a parser may stand that keeps the bytes as rawBody", async () => {
		const keep = (request: object, _response: unknown, rawBody: Buffer) =>
			void Object.assign(request, { rawBody });
		expect(await deliverThrough(express.json({ verify: keep }))).toEqual([200, ""]);
	});

	test("a parser may stand that leaves this type unread", async () => {
		expect(await deliverThrough(express.urlencoded())).toEqual([200, ""]);
	});

	test("a middleware that only consumes the body gets a response at once", async () => {
		const consume: RequestHandler = async (request, _response, next) => {
			await buffer(request);
			next();
		};
		expect(await deliverThrough(consume)).toEqual([500, "raw_body_unavailable"]);
	});
});

test("handle as a route responds, and names toExpress", async () => {
	const hints: unknown[] = [];
	const webhooks = createWebhookHandler({
		secret: SECRET,
		store: memoryStore(),
		on: { unknown: () => undefined },
		onError: (_error, { hint }) => hints.push(hint),
	});
	await using server = await serve(express().post("/webhooks", webhooks.handle));
	const url = `${server.url}/webhooks`;
	const response = await fetch(createWebhookRequest("inbound_message", {}, { url, secret: SECRET }));
	expect([response.status, hints]).toEqual([
		500,
		["Not acknowledged: webhooks.handle doesn't fit this route: use toExpress(webhooks)"],
	]);
});
