/**
 * A server in its own process, with one route. It gets its settings as a message, sends its port, and responds to
 * every later message with the number of events that it has processed.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { postgresInbox, postgresStore } from "messaging-gateway/stores/postgres";
import { fromNodeRedis, redisStore } from "messaging-gateway/stores/redis";
import { sqliteStore } from "messaging-gateway/stores/sqlite";
import { createWebhookHandler, type EventStore, memoryStore } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { Pool } from "pg";
import { createClient } from "redis";
import { loadPeer } from "../peers/load.ts";
import { RETENTION_MS } from "../stores/times.ts";

/** What a server does, and with what. */
export interface ServerSettings {
	readonly route: keyof typeof ROUTES;
	/** Of the webhooks' signatures. */
	readonly secret?: string;
	/** Of a Redis or PostgreSQL server, or of a file for SQLite. @default a store in memory */
	readonly storeUrl?: string;
	/** The body of every response. */
	readonly body?: string;
}

type OpenRoute = (settings: Required<ServerSettings>) => RequestListener | Promise<RequestListener>;

const NOTE = "INSERT INTO notes (event_id) VALUES ($1)";
const CLAIM = "INSERT INTO events (id) VALUES ($1) ON CONFLICT (id) DO NOTHING";
const CREATE = `CREATE TABLE IF NOT EXISTS notes (event_id text);
CREATE TABLE IF NOT EXISTS events (id text PRIMARY KEY, is_done boolean NOT NULL DEFAULT false)`;

let processed = 0;
const countOne = (_event: unknown) => void processed++;
const unknown = () => undefined;

const ROUTES = {
	"webhook handler": async ({ secret, storeUrl }) => {
		const on = { inbound_message: countOne, unknown };
		return toNode(createWebhookHandler({ secret, store: await openStore(storeUrl), on }));
	},

	async inbox({ secret, storeUrl }) {
		const pool = await openPool(storeUrl);
		const inbox = postgresInbox(pool);
		await inbox.createTable();
		return toNode(
			createWebhookHandler({
				secret,
				inbox,
				on: {
					inbound_message: async ({ eventId }, { transaction }) =>
						countOne(await transaction.query(NOTE, [eventId])),
					unknown,
				},
			}),
		);
	},

	HMAC: ({ secret }) => byHand(createVerifier(secret), countOne),

	async stripe({ secret }) {
		const { default: Stripe } = await loadPeer("stripe");
		const { webhooks } = new Stripe("sk_test_unused", {});
		const verify: Verify = (body, timestamp, signature) => {
			try {
				return webhooks.constructEvent(body, `t=${timestamp},${signature}`, secret) !== undefined;
			} catch {
				return false;
			}
		};
		return byHand(verify, countOne);
	},

	/** The least that processes an event once, and nothing if its process dies in between. */
	"SET and SET": async ({ secret, storeUrl }) => {
		const client = await connect(storeUrl);
		const expiration = { type: "PX", value: RETENTION_MS } as const;
		return byHand(createVerifier(secret), async (eventId, body) => {
			const key = `event:${eventId}`;
			if ((await client.set(key, "held", { condition: "NX", expiration })) === null) return;
			countOne(JSON.parse(body.toString()));
			await client.set(key, "done", { condition: "XX", expiration });
		});
	},

	"two statements": async ({ secret, storeUrl }) => {
		const pool = await openPool(storeUrl);
		return byHand(createVerifier(secret), async (eventId, body) => {
			if ((await pool.query(CLAIM, [eventId])).rowCount === 0) return;
			countOne(JSON.parse(body.toString()));
			await pool.query("UPDATE events SET is_done = true WHERE id = $1", [eventId]);
		});
	},

	transaction: async ({ secret, storeUrl }) => {
		const pool = await openPool(storeUrl);
		return byHand(createVerifier(secret), async (eventId, body) => {
			const client = await pool.connect();
			await client.query("BEGIN");
			if ((await client.query(CLAIM, [eventId])).rowCount === 1) {
				countOne(JSON.parse(body.toString()));
				await client.query(NOTE, [eventId]);
			}
			await client.query("COMMIT");
			client.release();
		});
	},

	/** The gateway of the clients. */
	"fixed response": ({ body }) => {
		const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
		return (request, response) => {
			request.resume().once("end", () => response.writeHead(200, headers).end(body));
		};
	},
} satisfies Record<string, OpenRoute>;

/** Whether a body is signed. */
type Verify = (body: Buffer, timestamp: string, signature: string) => boolean;

function createVerifier(secret: string): Verify {
	return (body, timestamp, signature) => {
		const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
		const given = Buffer.from(signature.slice("v1=".length), "hex");
		return given.length === expected.length && timingSafeEqual(given, expected);
	};
}

/** A receiver without this package: verifies each delivery, processes it and acknowledges it. */
function byHand(verify: Verify, process: (eventId: string, body: Buffer) => unknown): RequestListener {
	return async (request, response) => {
		const read = (name: string) => String(request.headers[`x-svc-${name}`]);
		const body = await readBody(request);
		const isSigned = verify(body, read("timestamp"), read("signature"));
		if (isSigned) await process(read("event-id"), body);
		response.writeHead(isSigned ? 200 : 401).end();
	};
}

function readBody(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	request.on("data", (chunk: Buffer) => chunks.push(chunk));
	return new Promise((resolve) => request.once("end", () => resolve(Buffer.concat(chunks))));
}

async function openStore(url: string): Promise<EventStore> {
	if (url === "") return memoryStore();
	if (url.startsWith("redis:")) return redisStore(fromNodeRedis(await connect(url)));
	if (url.startsWith("file:")) return sqliteStore({ path: url.slice("file:".length) });
	const store = postgresStore(await openPool(url));
	await store.createTable();
	return store;
}

async function openPool(connectionString: string): Promise<Pool> {
	const pool = new Pool({ connectionString });
	await pool.query(CREATE);
	return pool;
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
