/** Gives every adapter to a route of every framework, delivers an event there, and prints what came of it as JSON. */
import "reflect-metadata";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { serve as serveHono } from "@hono/node-server";
import { All, Controller, Module, Req, Res } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { initTRPC } from "@trpc/server";
import express from "express";
import express4 from "express-4";
import fastify from "fastify";
import { createApp, eventHandler, toNodeListener } from "h3";
import { Hono } from "hono";
import { Hono as OldHono } from "hono-4.8.3";
import Koa from "koa";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import mocks from "node-mocks-http";

const secret = "table-secret";
const url = "http://app.example/";

const ADAPTERS = {
	toExpress,
	toNode,
	toFastify,
	toHono,
	fetch: (webhooks) => webhooks.fetch,
	handle: (webhooks) => webhooks.handle,
};

/** Delivers over HTTP to a listener of Node. */
async function deliverTo(listener) {
	const server = createServer(listener).listen(0, "127.0.0.1");
	await once(server, "listening");
	try {
		return await deliverToPort(server.address().port);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

async function deliverToPort(port) {
	const signed = createWebhookRequest("inbound_message", {}, { secret, url: `http://127.0.0.1:${port}/` });
	return (await fetch(signed, { signal: AbortSignal.timeout(5_000) })).status;
}

/** Makes an app with the route, delivers, and returns the status of the response. */
const HOSTS = {
	"node:http": (route) => deliverTo((request, response) => void route(request, response)),
	"Express 5": (route) => deliverTo(quiet(express()).use(route)),
	"Express 4": (route) => deliverTo(quiet(express4()).use(route)),
	Fastify: async (route) => {
		const app = fastify({ forceCloseConnections: true }).all("/", route);
		return deliverToApp(app);
	},
	"a plugin of Fastify": async (route) => {
		const app = fastify({ forceCloseConnections: true }).register(route, { prefix: "/" });
		return deliverToApp(app).catch(() => "the app does not start");
	},
	"Nest on Fastify": async (route) => {
		class WebhooksController {
			receive(request, response) {
				return route(request, response);
			}
		}
		const { prototype } = WebhooksController;
		Controller("/")(WebhooksController);
		All()(prototype, "receive", Object.getOwnPropertyDescriptor(prototype, "receive"));
		Req()(prototype, "receive", 0);
		Res()(prototype, "receive", 1);
		class AppModule {}
		Module({ controllers: [WebhooksController] })(AppModule);
		const options = { rawBody: true, logger: false };
		const app = await NestFactory.create(
			AppModule,
			new FastifyAdapter({ forceCloseConnections: true }),
			options,
		);
		await app.listen(0, "127.0.0.1");
		try {
			return await deliverToPort(app.getHttpServer().address().port);
		} finally {
			await app.close();
		}
	},
	Hono: (route) => deliverToHono(new Hono(), route),
	"Hono 4.8.3": (route) => deliverToHono(new OldHono(), route),
	Koa: (route) => {
		const app = new Koa().use(route);
		app.silent = true;
		return deliverTo(app.callback());
	},
	"h3 1": (route) => {
		const app = createApp({ onError: () => undefined });
		app.use(eventHandler(route));
		console.error = () => undefined;
		return deliverTo(toNodeListener(app));
	},
	tRPC: async (route) => {
		const { router, procedure, createCallerFactory } = initTRPC.create();
		const caller = createCallerFactory(router({ deliver: procedure.mutation(route) }))({});
		return caller.deliver().then(
			() => "resolved",
			(error) => `rejected: ${error.cause?.name}`,
		);
	},
	"node-mocks-http": async (route) => {
		const signed = createWebhookRequest("inbound_message", {}, { secret, url });
		const headers = Object.fromEntries(signed.headers);
		return deliverToMock(route, { method: "POST", headers, body: await signed.text() });
	},
	"node-mocks-http, with a parsed body": async (route) => {
		const signed = createWebhookRequest("inbound_message", {}, { secret, url });
		const headers = Object.fromEntries(signed.headers);
		return deliverToMock(route, { method: "POST", headers, body: await signed.json() });
	},
};

/** Without the stacks that Express prints. */
function quiet(app) {
	return app.set("env", "test");
}

async function deliverToApp(app) {
	await app.listen({ port: 0, host: "127.0.0.1" });
	try {
		return await deliverToPort(app.server.address().port);
	} finally {
		await app.close();
	}
}

function deliverToHono(app, route) {
	app.all("/", route);
	app.onError((_error, context) => context.text("", 500));
	return new Promise((resolve) => {
		const server = serveHono({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
			resolve(
				deliverToPort(port).finally(() => {
					server.closeAllConnections();
					server.close();
				}),
			),
		);
	});
}

async function deliverToMock(route, init) {
	const request = mocks.createRequest(init);
	const response = mocks.createResponse({ eventEmitter: EventEmitter, req: request });
	await route(request, response);
	return response.writableEnded ? response.statusCode : "no response";
}

const rows = [];
for (const [host, deliver] of Object.entries(HOSTS)) {
	for (const [adapter, adapt] of Object.entries(ADAPTERS)) {
		let runs = 0;
		const hints = [];
		const webhooks = createWebhookHandler({
			secret,
			store: memoryStore(),
			on: { inbound_message: () => void runs++, unknown: () => undefined },
			onError: (_error, { hint }) => void hints.push(hint),
		});
		const status = await deliver(adapt(webhooks)).catch((error) => String(error));
		rows.push({ host, adapter, status, runs, hint: hints.join("; ") });
	}
}
process.stdout.write(JSON.stringify(rows));
process.exit();
