/**
 * A server in its own process, with one route. It gets its settings as a message, sends its port, and responds to
 * every later message with the number of events that it has processed.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import express, { type Request, type RequestHandler } from "express";
import { postgresStore } from "messaging-gateway/stores/postgres";
import { fromNodeRedis, redisStore } from "messaging-gateway/stores/redis";
import { createWebhookHandler, type EventStore } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { Pool } from "pg";
import { createClient } from "redis";
import { RETENTION_MS } from "../stores/times.ts";

/** What a server does, and with what. */
export interface ServerSettings {
	readonly route: keyof typeof ROUTES;
	/** Of the webhooks' signatures. */
	readonly secret?: string;
	/** Of a Redis or PostgreSQL server. */
	readonly storeUrl?: string;
	/** The body of every response. */
	readonly body?: string;
}

type OpenRoute = (settings: Required<ServerSettings>) => RequestListener | Promise<RequestListener>;

let processed = 0;

const ROUTES = {
	"webhook handler": async ({ secret, storeUrl }) => {
		const on = {
			inbound_message() {
				processed++;
			},
			unknown: () => undefined,
		};
		return toApp(toExpress(createWebhookHandler({ secret, store: await openStore(storeUrl), on })));
	},

	/** The least that processes an event once, and nothing if its process dies in between. */
	"HMAC, SET and SET": async ({ secret, storeUrl }) => {
		const client = await connect(storeUrl);
		const expiration = { type: "PX", value: RETENTION_MS } as const;
		return respond(async (request) => {
			if (!isSigned(request, secret)) return 401;
			const key = `event:${request.header("x-svc-event-id")}`;
			if ((await client.set(key, "held", { condition: "NX", expiration })) === null) return 200;
			JSON.parse(request.body.toString());
			processed++;
			await client.set(key, "done", { condition: "XX", expiration });
			return 200;
		});
	},

	HMAC: ({ secret }) =>
		respond((request) => {
			if (!isSigned(request, secret)) return 401;
			processed++;
			return 200;
		}),

	/** The gateway of the clients. */
	"fixed response": ({ body }) => {
		const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
		return (request, response) => {
			request.resume().once("end", () => response.writeHead(200, headers).end(body));
		};
	},
} satisfies Record<string, OpenRoute>;

function respond(process: (request: Request) => number | Promise<number>): RequestListener {
	return toApp(express.raw({ type: () => true }), async (request, response) => {
		response.status(await process(request)).end();
	});
}

function toApp(...handlers: readonly RequestHandler[]): RequestListener {
	return express().post("/webhooks", ...handlers);
}

function isSigned(request: Request, secret: string): boolean {
	const timestamp = request.header("x-svc-timestamp");
	const signature = createHmac("sha256", secret).update(`${timestamp}.`).update(request.body).digest();
	const given = Buffer.from(request.header("x-svc-signature")?.slice("v1=".length) ?? "", "hex");
	return given.length === signature.length && timingSafeEqual(given, signature);
}

async function openStore(url: string): Promise<EventStore> {
	if (url.startsWith("redis:")) return redisStore(fromNodeRedis(await connect(url)));
	const store = postgresStore(new Pool({ connectionString: url }));
	await store.createTable();
	return store;
}

function connect(url: string) {
	return createClient({ url, disableOfflineQueue: true }).connect();
}

process.once("message", async (settings: ServerSettings) => {
	const open: OpenRoute = ROUTES[settings.route];
	const server = createServer(await open({ secret: "", storeUrl: "", body: "", ...settings }));
	// Longer than a slice of another contender, so that no connection ends in between.
	server.keepAliveTimeout = 60_000;
	server.listen(0, "127.0.0.1", () => {
		const address = server.address();
		if (typeof address === "object") process.send?.(address?.port);
		process.on("message", () => process.send?.(processed));
	});
});
process.once("disconnect", () => process.exit());
