/**
 * A receiver of webhooks in its own process: a route of Express. It gets its settings as a message, sends its port, and
 * responds to every later message with the number of events that it has processed.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import express, { type Request, type RequestHandler } from "express";
import { postgresStore } from "messaging-gateway/stores/postgres";
import { fromNodeRedis, redisStore } from "messaging-gateway/stores/redis";
import { createWebhookHandler, type EventStore } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { Pool } from "pg";
import { createClient } from "redis";
import { RETENTION_MS } from "../stores/times.ts";

/** What a receiver does, and with what. */
export interface ReceiverSettings {
	readonly route: keyof typeof ROUTES;
	readonly secret: string;
	/** Of a Redis or PostgreSQL server. */
	readonly storeUrl: string;
}

type OpenRoute = (settings: ReceiverSettings) => Promise<RequestHandler[]>;

let processed = 0;

const readRaw = express.raw({ type: () => true });

const ROUTES = {
	"webhook handler": async ({ secret, storeUrl }) => {
		const webhooks = createWebhookHandler({
			secret,
			store: await openStore(storeUrl),
			on: {
				inbound_message() {
					processed++;
				},
				unknown: () => undefined,
			},
		});
		return [toExpress(webhooks)];
	},

	/** The least that processes an event once, and nothing if its process dies in between. */
	"HMAC, SET and SET": async ({ secret, storeUrl }) => {
		const client = await connect(storeUrl);
		const expiration = { type: "PX", value: RETENTION_MS } as const;
		async function process(request: Request): Promise<number> {
			if (!isSigned(request, secret)) return 401;
			const key = `event:${request.header("x-svc-event-id")}`;
			if ((await client.set(key, "held", { condition: "NX", expiration })) === null) return 200;
			JSON.parse(request.body.toString());
			processed++;
			await client.set(key, "done", { condition: "XX", expiration });
			return 200;
		}
		return [
			readRaw,
			async (request, response) => {
				response.status(await process(request)).end();
			},
		];
	},

	HMAC: async ({ secret }) => [
		readRaw,
		(request, response) => {
			const isRight = isSigned(request, secret);
			if (isRight) processed++;
			response.status(isRight ? 200 : 401).end();
		},
	],
} satisfies Record<string, OpenRoute>;

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

process.once("message", async (settings: ReceiverSettings) => {
	const app = express();
	app.post("/webhooks", ...(await ROUTES[settings.route](settings)));
	const server = app.listen(0, "127.0.0.1", () => {
		// Longer than a slice of another receiver, so that no connection ends in between.
		server.keepAliveTimeout = 60_000;
		const address = server.address();
		if (typeof address === "object") process.send?.(address?.port);
		process.on("message", () => process.send?.(processed));
	});
});
process.once("disconnect", () => process.exit());
