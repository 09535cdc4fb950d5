import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { WebhookHandler } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import { describe, expect, test, vi } from "vitest";
import { throwing } from "../../../../support/throwing.ts";
import { createReceiver } from "../../../../support/webhook-receiver.ts";

const FASTIFY = 'app.register(toFastify(webhooks), { prefix: "/webhooks" }), in Nest too';
const KOA = "toNode(webhooks)(ctx.req, ctx.res) after ctx.respond = false";
const H3 = "fromNodeMiddleware(toNode(webhooks))";
const ELSEWHERE = "webhooks.handle({ headers, body })";

/** What a route gets in each framework, reduced to what tells them apart, and what belongs there. */
const HOSTS: Readonly<Record<string, { route(): readonly unknown[]; use: string }>> = {
	"node:http": { route: () => [nodeRequest(), nodeResponse()], use: "toNode(webhooks)" },
	Express: {
		route: () => [nodeRequest({ app: { listen: () => undefined } }), nodeResponse(), () => undefined],
		use: "toExpress(webhooks)",
	},
	"the Pages Router": { route: () => [nodeRequest({ query: {} }), nodeResponse()], use: "toNode(webhooks)" },
	"Fastify, and Nest on it": {
		route: () => [
			{ raw: nodeRequest(), method: "POST", headers: {}, body: {} },
			{ raw: nodeResponse(), code: () => undefined, send: () => undefined },
		],
		use: FASTIFY,
	},
	"a plugin of Fastify": {
		route: () => [{ addContentTypeParser: () => undefined, route: () => undefined }, {}],
		use: FASTIFY,
	},
	Hono: {
		route: () => [
			{ req: { raw: fetchRequest(), arrayBuffer: async () => new ArrayBuffer() } },
			() => undefined,
		],
		use: "toHono(webhooks)",
	},
	Koa: {
		route: () => [
			{ req: nodeRequest(), res: nodeResponse(), request: { headers: {} }, app: { listen: () => undefined } },
			() => undefined,
		],
		use: KOA,
	},
	"h3 1": {
		route: () => [
			{ method: "POST", headers: new Headers(), node: { req: nodeRequest(), res: nodeResponse() } },
		],
		use: H3,
	},
	"h3 2": {
		route: () => [{ req: fetchRequest(), headers: new Headers(), app: { fetch: () => undefined } }],
		use: "webhooks.fetch(event.req)",
	},
	"the App Router": { route: () => [fetchRequest(), { params: {} }], use: "webhooks.fetch" },
	SvelteKit: { route: () => [{ request: fetchRequest(), params: {} }], use: "webhooks.fetch" },
	tRPC: { route: () => [{ ctx: {}, input: {}, type: "mutation" }], use: ELSEWHERE },
	"AWS Lambda": { route: () => [{ headers: {}, body: "{}", requestContext: {} }, {}], use: ELSEWHERE },
	"a mock of Node": { route: () => [{ method: "POST", headers: {} }, nodeResponse()], use: ELSEWHERE },
	"a call without a request": { route: () => [undefined, null], use: ELSEWHERE },
	"an object that throws": {
		route: () => [new Proxy({}, { get: throwing(new Error("no")), has: () => false })],
		use: ELSEWHERE,
	},
};

const ADAPTERS: Readonly<
	Record<string, (webhooks: WebhookHandler) => (...given: never[]) => Promise<unknown>>
> = {
	toNode,
	toExpress,
	toFastify,
	toHono,
	fetch: (webhooks) => webhooks.fetch,
	// What it responds would be lost, or in h3 and AWS Lambda acknowledge what failed.
	handle: (webhooks) => webhooks.handle,
};

/** The frameworks of which an adapter accepts the routes. */
const RIGHT: Readonly<Record<string, readonly string[]>> = {
	toNode: ["node:http", "Express", "the Pages Router", "a mock of Node"],
	toExpress: ["node:http", "Express", "the Pages Router", "a mock of Node"],
	toFastify: ["a plugin of Fastify"],
	toHono: ["Hono"],
	fetch: ["the App Router", "SvelteKit", "an object that throws"],
	// The response says that it is no delivery.
	handle: ["tRPC", "a call without a request", "an object that throws"],
};

function fetchRequest(): Request {
	return new Request("http://app.example/webhooks", { method: "POST", body: "{}" });
}

function nodeRequest(fields: object = {}): IncomingMessage {
	return Object.assign(new IncomingMessage(new Socket()), { method: "POST" }, fields);
}

function nodeResponse(): ServerResponse {
	return new ServerResponse(new IncomingMessage(new Socket()));
}

describe.each(Object.entries(ADAPTERS))("%s in a route of", (adapter, adapt) => {
	const wrong = Object.entries(HOSTS).filter(([host]) => !RIGHT[adapter]?.includes(host));

	test.each(wrong)(
		"%s ends before anything runs, and names what belongs there",
		async (_host, { route, use }) => {
			const onResponse = vi.fn();
			const { handler, calls, reports } = createReceiver({ hooks: { onResponse } });
			const given = route();
			const ended = await adapt(handler)(...(given as never[])).then(
				() => "resolved",
				(error: unknown) => error,
			);
			const message = expect.stringContaining(`use ${use}`);
			expect([calls, reports]).toEqual([
				[],
				[{ error: expect.objectContaining({ code: "configuration", message }), hint: message }],
			]);
			expect(onResponse.mock.calls.map(([info]) => info)).toMatchObject([
				{ status: 500, code: "configuration" },
			]);
			const response = given[1];
			if (response instanceof ServerResponse) {
				// A listener of Node has nobody who would catch an error, and end the response.
				expect([ended, response.statusCode, response.writableEnded]).toEqual(["resolved", 500, true]);
			} else {
				expect(ended).toMatchObject({
					name: "ConfigurationError",
					message: expect.stringContaining(adapter),
				});
			}
		},
	);
});

test("a list of deliveries can be mapped to handle, and a framework's request can be a delivery", async () => {
	const { handler, reports } = createReceiver();
	const { handle } = handler;
	const responses = await Promise.all([{ headers: {}, body: "{}" }, fetchRequest()].map(handle));
	responses.push(await handle(fetchRequest()));
	responses.push(await handle(Object.assign(nodeRequest(), { body: Buffer.from("{}") })));
	const inContext = { request: fetchRequest(), requestContext: {}, headers: {}, body: "{}" };
	responses.push(await handle(inContext));
	expect(responses.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
	expect(reports).toHaveLength(5);
});
