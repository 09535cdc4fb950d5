/**
 * A server in its own process, with one route. It gets its settings as a message, sends its port, and responds to
 * every later message with the number of events that it has processed.
 */
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { DatabaseSync } from "node:sqlite";
import express from "express";
import { postgresInbox, postgresStore } from "messaging-gateway/stores/postgres";
import { fromNodeRedis, redisStore } from "messaging-gateway/stores/redis";
import { sqliteStore } from "messaging-gateway/stores/sqlite";
import { createWebhookHandler, type EventStore } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toNode } from "messaging-gateway/webhooks/node";
import { Pool } from "pg";
import { createClient } from "redis";
import { CLAIM_TIMES, RETENTION_MS } from "../stores/times.ts";

/** What a server does, and with what. */
export interface ServerSettings {
	readonly route: keyof typeof ROUTES;
	/** Of the webhooks' signatures. */
	readonly secret?: string;
	/** Of a Redis or PostgreSQL server, or of a file for SQLite. */
	readonly storeUrl?: string;
	/** The body of every response. */
	readonly body?: string;
}

type OpenRoute = (settings: Required<ServerSettings>) => RequestListener | Promise<RequestListener>;

const CREATE = `CREATE TABLE IF NOT EXISTS notes (event_id text);
CREATE TABLE IF NOT EXISTS events (id text PRIMARY KEY)`;
const CLAIM = "INSERT INTO events (id) VALUES ($1) ON CONFLICT (id) DO NOTHING";
const NOTE = "INSERT INTO notes (event_id) VALUES ($1)";

const CREATE_FILE = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS held_events (id text PRIMARY KEY, is_done integer NOT NULL, lease_ends_at integer NOT NULL)`;
const CLAIM_IN_FILE = `INSERT INTO held_events (id, is_done, lease_ends_at) VALUES (?1, 0, ?2)
ON CONFLICT (id) DO UPDATE SET lease_ends_at = ?2 WHERE is_done = 0 AND lease_ends_at < ?3`;
const COMPLETE_IN_FILE =
	"UPDATE held_events SET is_done = 1 WHERE id = ?1 AND is_done = 0 AND lease_ends_at = ?2";

/** Marks an event as done if it is still held by who asks. */
const COMPLETE_IN_REDIS = `if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], "done", "PX", ARGV[2])
return 1`;

let processed = 0;
const countOne = (_event: unknown) => void processed++;
const unknown = () => undefined;
/** One delivery is rejected on purpose. */
const onError = unknown;

const ROUTES = {
	"webhook handler": async ({ secret, storeUrl }) => {
		const on = { inbound_message: countOne, unknown };
		return toNode(createWebhookHandler({ secret, store: await openStore(storeUrl), on, onError }));
	},

	async inbox({ secret, storeUrl }) {
		const inbox = postgresInbox(await openPool(storeUrl));
		await inbox.createTable();
		const webhooks = createWebhookHandler({
			secret,
			inbox,
			onError,
			on: {
				inbound_message: async ({ eventId }, { transaction }) =>
					countOne(await transaction.query(NOTE, [eventId])),
				unknown,
			},
		});
		return express().all("/webhooks", toExpress(webhooks));
	},

	async transaction({ secret, storeUrl }) {
		const pool = await openPool(storeUrl);
		const receive = byHand(createVerifier(secret), async (eventId, body) => {
			const client = await pool.connect();
			await client.query("BEGIN");
			if ((await client.query(CLAIM, [eventId])).rowCount === 1) {
				countOne(JSON.parse(body.toString()));
				await client.query(NOTE, [eventId]);
			}
			await client.query("COMMIT");
			client.release();
		});
		return express().post("/webhooks", receive);
	},

	"lease in Redis": async ({ secret, storeUrl }) => {
		const client = await connect(storeUrl);
		return byHand(createVerifier(secret), async (eventId, body) => {
			const [key, token] = [`event:${eventId}`, randomUUID()];
			const expiration = { type: "PX", value: CLAIM_TIMES.leaseMs } as const;
			if ((await client.set(key, token, { condition: "NX", expiration })) === null)
				return (await client.get(key)) === "done";
			countOne(JSON.parse(body.toString()));
			return client.eval(COMPLETE_IN_REDIS, { keys: [key], arguments: [token, String(RETENTION_MS)] });
		});
	},

	"statements of SQLite": ({ secret, storeUrl }) => {
		const database = new DatabaseSync(storeUrl.slice("file:".length));
		database.exec(CREATE_FILE);
		const [claim, complete] = [database.prepare(CLAIM_IN_FILE), database.prepare(COMPLETE_IN_FILE)];
		return byHand(createVerifier(secret), (eventId, body) => {
			const now = Date.now();
			const leaseEndsAt = now + CLAIM_TIMES.leaseMs;
			if (claim.run(eventId, leaseEndsAt, now).changes === 0) return;
			countOne(JSON.parse(body.toString()));
			complete.run(eventId, leaseEndsAt);
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
