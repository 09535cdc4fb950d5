import { createServer as createNodeServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import type { WebhookHandler } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import type { NextApiHandler } from "next";
import { expectTypeOf, test } from "vitest";

/** Never called: it only has to compile, so that each framework accepts its adapter without a cast. */
function mountEverywhere(webhooks: WebhookHandler): void {
	express().post("/webhooks", toExpress(webhooks));
	express().all("/webhooks", toExpress(webhooks));
	express().post("/webhooks", express.raw({ type: () => true }), toExpress(webhooks));
	express.Router().use("/webhooks", toExpress(webhooks));

	createNodeServer(toNode(webhooks));
	createNodeServer((request, response) => void toNode(webhooks)(request, response));
	createHttp2Server(toNode(webhooks));

	void fastify().register(toFastify(webhooks));
	void fastify({ logger: true }).register(toFastify(webhooks), { prefix: "/webhooks" });

	new Hono().post("/webhooks", toHono(webhooks));
	new Hono().all("/webhooks", toHono(webhooks));
	new Hono<{ Bindings: { SECRET: string }; Variables: { user: string } }>().post("/:id", toHono(webhooks));
	new Hono().post("/webhooks", (context) => webhooks.fetch(context.req.raw, context.env));
	new Hono().post("/webhooks", (context, next) => toHono(webhooks)(context, next));
}

/** Never called: each of these would compile as a method, and wait for a response that nobody writes. */
function mountFetch(webhooks: WebhookHandler): void {
	// @ts-expect-error use toExpress(webhooks)
	express().post("/webhooks", webhooks.fetch);
	// @ts-expect-error use toExpress(webhooks)
	express.Router().use("/webhooks", webhooks.fetch);
	// @ts-expect-error use toNode(webhooks)
	createNodeServer(webhooks.fetch);
	// @ts-expect-error a request of Node is none in a context either
	createNodeServer((request) => void webhooks.fetch({ request }));
	// @ts-expect-error use toFastify(webhooks)
	fastify().post("/webhooks", webhooks.fetch);
	// @ts-expect-error use toHono(webhooks)
	new Hono().post("/webhooks", webhooks.fetch);
}

test("fetch is no route of a framework that calls its routes otherwise", () => {
	expectTypeOf(mountFetch).parameters.toEqualTypeOf<[WebhookHandler]>();
});

test("each framework accepts its adapter without a cast", () => {
	expectTypeOf(mountEverywhere).parameters.toEqualTypeOf<[WebhookHandler]>();
	expectTypeOf<ReturnType<typeof toNode>>().toExtend<NextApiHandler>();
});

test("a handler itself is none", () => {
	expectTypeOf<WebhookHandler>().not.toExtend<(...given: never) => unknown>();
});

test("a handler's fetch is a route of the App Router, of Workers and of Bun as it stands", () => {
	expectTypeOf<WebhookHandler["fetch"]>().toExtend<(request: Request) => Promise<Response>>();
	expectTypeOf<WebhookHandler["fetch"]>().toExtend<
		(request: Request, context: { params: Promise<object> }) => Promise<Response>
	>();
	expectTypeOf<WebhookHandler["fetch"]>().toExtend<
		(
			request: Request,
			env: Record<string, unknown>,
			context: { waitUntil(promise: Promise<unknown>): void },
		) => unknown
	>();
	expectTypeOf<WebhookHandler["fetch"]>().toExtend<(request: Request, ip?: string) => Promise<Response>>();
	expectTypeOf<WebhookHandler["fetch"]>().toExtend<
		(request: Request, env: { SECRET: string }, context: object) => Promise<Response>
	>();
});

/** The parts of the routes' contexts that count; each has more. */
interface SvelteKitEvent {
	request: Request;
	params: Record<string, string>;
	platform: object | undefined;
	getClientAddress: () => string;
}

test("a handler's fetch is a route of SvelteKit, Astro, React Router and TanStack Start as it stands", () => {
	type Fetch = WebhookHandler["fetch"];
	expectTypeOf<Fetch>().toExtend<(event: SvelteKitEvent) => Response | Promise<Response>>();
	expectTypeOf<Fetch>().toExtend<
		(args: { request: Request; params: object; context: unknown }) => Promise<unknown>
	>();
	// Next.js reads the first argument of a route's type, and an overloaded function shows its last form.
	type FirstArgument<Route> = Route extends (...args: [infer First, ...never[]]) => unknown ? First : never;
	expectTypeOf<FirstArgument<Fetch>>().toEqualTypeOf<Request>();
});

test("nothing else is accepted as a handler", () => {
	expectTypeOf(toExpress).parameter(0).toEqualTypeOf<WebhookHandler>();
	expectTypeOf<{ handle: WebhookHandler["handle"] }>().not.toExtend<Parameters<typeof toHono>[0]>();
});
