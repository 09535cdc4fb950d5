import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import express, { Router } from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore, type WebhookHandler } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import { afterAll, expect, test, vi } from "vitest";
import { serve } from "../support/serve.ts";

// The listener replaces them for good, and other files share this worker.
const { Request, Response } = globalThis;
afterAll(() => void Object.assign(globalThis, { Request, Response }));

const SECRET = "tenant-secret";
const PATH = "/webhooks/acme?region=eu";

/** Sends a delivery over HTTP. */
async function sendTo(listener: Parameters<typeof serve>[0]): Promise<number> {
	await using server = await serve(listener);
	return (await fetch(sign(`${server.url}${PATH}`))).status;
}

function sign(url: string): Request {
	return createWebhookRequest("status", {}, { secret: SECRET, url });
}

async function toFastifyListener(webhooks: WebhookHandler, options: object): Promise<number> {
	const app = fastify({ ...options, serverFactory: (handler) => createServer(handler) });
	app.register(toFastify(webhooks), { prefix: "/webhooks/:tenant" });
	await app.ready();
	return sendTo(app.routing);
}

/** Hands a delivery over as a platform without an adapter does. */
async function hand(webhooks: WebhookHandler, url: string | undefined): Promise<number> {
	const request = sign("http://app.example/");
	const body = await request.text();
	return (await webhooks.handle({ url, headers: request.headers, body })).status;
}

const ROUTES: readonly [route: string, deliver: (webhooks: WebhookHandler) => Promise<number>][] = [
	["node:http", (webhooks) => sendTo(toNode(webhooks))],
	["a route of Express", (webhooks) => sendTo(express().all("/webhooks/:tenant", toExpress(webhooks)))],
	["a mount of Express", (webhooks) => sendTo(express().use("/webhooks/:tenant", toExpress(webhooks)))],
	[
		"a router of Express below another one",
		(webhooks) => {
			const inner = Router().all("/:tenant", toExpress(webhooks));
			return sendTo(express().use("/", Router().use("/webhooks", inner)));
		},
	],
	["a prefix of Fastify", (webhooks) => toFastifyListener(webhooks, {})],
	[
		"Fastify with rewriteUrl",
		(webhooks) => toFastifyListener(webhooks, { rewriteUrl: () => "/webhooks/rewritten" }),
	],
	[
		"a route of Hono",
		async (webhooks) =>
			(
				await new Hono()
					.all("/webhooks/:tenant", toHono(webhooks))
					.fetch(sign(`https://app.example:8443${PATH}`))
			).status,
	],
	[
		"a base path of Hono over HTTP",
		(webhooks) => {
			const inner = new Hono().all("/:tenant", toHono(webhooks));
			return sendTo(getRequestListener(new Hono().basePath("/webhooks").route("/", inner).fetch));
		},
	],
	["fetch over HTTP", (webhooks) => sendTo(getRequestListener((request) => webhooks.fetch(request)))],
	["fetch", async (webhooks) => (await webhooks.fetch(sign(`https://app.example:8443${PATH}`))).status],
	[
		"a route of Next.js",
		async (webhooks) => {
			const context = { params: Promise.resolve({ tenant: "acme" }) };
			return (await webhooks.fetch(sign(`https://app.example${PATH}`), context)).status;
		},
	],
	[
		"a route of SvelteKit",
		async (webhooks) => {
			const event = { request: sign(`https://app.example${PATH}`), params: { tenant: "acme" } };
			return (await webhooks.fetch(event)).status;
		},
	],
	["handle with a path, as of Lambda", (webhooks) => hand(webhooks, PATH)],
	["handle with a URL", (webhooks) => hand(webhooks, `https://app.example${PATH}`)],
];

test.each(ROUTES)("the secret function gets the whole path through %s", async (_route, deliver) => {
	const secret = vi.fn((_delivery: { url: string | undefined }) => ({ tenant: "acme", secret: SECRET }));
	const on = { unknown: () => undefined };
	const onError = vi.fn();
	const webhooks = createWebhookHandler({ secret, store: memoryStore(), on, onError });
	expect([await deliver(webhooks), onError.mock.calls]).toEqual([200, []]);
	expect(secret.mock.calls.map(([{ url }]) => url)).toEqual([PATH]);
});

test("the secret function gets no URL from handle without one", async () => {
	const secret = vi.fn((_delivery: { url: string | undefined }) => undefined);
	const on = { unknown: () => undefined };
	const webhooks = createWebhookHandler({ secret, store: memoryStore(), on, onError: () => undefined });
	expect(await hand(webhooks, undefined)).toBe(401);
	expect(secret.mock.lastCall?.[0].url).toBeUndefined();
});
