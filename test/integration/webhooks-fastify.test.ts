import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { json } from "node:stream/consumers";
import fastify from "fastify";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { describe, expect, test, vi } from "vitest";
import { createObservedHandler } from "./support/observed-handler.ts";
import { testReceiver } from "./support/receiver-suite.ts";

testReceiver("Fastify", {
	hint: "a hook read",
	drains: true,
	async start() {
		const webhooks = createObservedHandler();
		const app = fastify({ forceCloseConnections: true });
		app.register(toFastify(webhooks), { prefix: "/webhooks" });
		app.register(
			async (scope) => {
				scope.addHook("preParsing", async (_request, _reply, payload) => {
					await json(payload);
					return payload;
				});
				scope.register(toFastify(webhooks));
			},
			{ prefix: "/mistaken" },
		);
		const url = await app.listen({ host: "127.0.0.1", port: 0 });
		return {
			url: `${url}/webhooks`,
			mistakenUrl: `${url}/mistaken`,
			[Symbol.asyncDispose]: () => app.close(),
		};
	},
});

describe("the plugin of Fastify", () => {
	const secret = "fastify-secret";

	/** An app with its own parsers and route beside the plugin. */
	async function start() {
		const app = fastify();
		app.addContentTypeParser("application/vnd.own", { parseAs: "string" }, async () => ({ parsed: "own" }));
		app.addContentTypeParser("*", async () => ({ parsed: "any" }));
		app.register(
			toFastify(
				createWebhookHandler({
					secret,
					store: memoryStore(),
					on: { unknown: () => undefined },
					onError: () => undefined,
				}),
			),
			{ prefix: "/webhooks" },
		);
		app.post("/echo", async (request) => request.body);
		const url = await app.listen({ host: "127.0.0.1", port: 0 });
		return { url, [Symbol.asyncDispose]: () => app.close() };
	}

	test.each(["application/json", "application/vnd.own", "text/plain", "image/png"])(
		"accepts a delivery as %s, despite the app's parsers",
		async (type) => {
			await using app = await start();
			const request = createWebhookRequest("status", {}, { secret, url: `${app.url}/webhooks` });
			request.headers.set("Content-Type", type);
			const response = await fetch(request);
			expect([response.status, await response.text()]).toEqual([200, ""]);
		},
	);

	test.each([
		["application/json", { text: "Hello" }],
		["application/vnd.own", { parsed: "own" }],
		["image/png", { parsed: "any" }],
	])("leaves the parser for %s to the other routes", async (type, parsed) => {
		await using app = await start();
		const body = JSON.stringify({ text: "Hello" });
		const response = await fetch(`${app.url}/echo`, {
			method: "POST",
			headers: { "Content-Type": type },
			body,
		});
		expect(await response.json()).toEqual(parsed);
	});

	test("reports the missing header of a request without a body", async () => {
		await using app = await start();
		const response = await fetch(`${app.url}/webhooks`, { method: "POST" });
		expect([response.status, await response.text()]).toEqual([400, "missing_header"]);
	});

	test("ends the connection where it did not read the body", async () => {
		await using app = await start();
		const signed = createWebhookRequest("status", {}, { secret }).headers;
		const headers = { ...Object.fromEntries(signed), "Content-Length": 2 ** 30 };
		const request = httpRequest(`${app.url}/webhooks`, { method: "POST", headers });
		request.flushHeaders();
		const [response] = await once(request, "response");
		request.destroy();
		expect([response.statusCode, response.headers.connection]).toEqual([413, "close"]);
	});

	test("rejects a body that a hook replaced by the parsed one", async () => {
		const onError = vi.fn();
		const app = fastify();
		app.addHook("preValidation", async (request) => {
			request.body = {};
		});
		app.register(
			toFastify(
				createWebhookHandler({ secret, store: memoryStore(), on: { unknown: () => undefined }, onError }),
			),
		);
		const { headers, body } = createWebhookRequest("status", {}, { secret });
		const response = await app.inject({
			method: "POST",
			url: "/",
			headers: Object.fromEntries(headers),
			payload: await new Response(body).text(),
		});
		expect([response.statusCode, response.body]).toEqual([500, "raw_body_unavailable"]);
		expect(onError.mock.lastCall?.[1].hint).toContain("a hook read or replaced the body");
	});
});
