/**
 * The bot: run as many workers as you need. Reads DATABASE_URL, PUBLIC_URL, MESSAGING_GATEWAY_DIGEST_SECRET and the variables of the
 * client from the environment.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryState } from "@chat-adapter/state-memory";
import { Chat } from "chat";
import { MessagingGateway } from "messaging-gateway";
import { createGatewayAdapter } from "messaging-gateway/chat";
import { createSender, observeSend } from "messaging-gateway/sends";
import { postgresSendStore } from "messaging-gateway/stores/postgres";
import { PermanentWebhookError, type WebhookEvent } from "messaging-gateway/webhooks";
import { Pool } from "pg";
import type { Job, JobResult } from "pg-boss";
import { add, connect, FAILED, QUEUE, type QueuedEvent } from "./queue.ts";

/** How often an event is tried: over half an hour. */
const ATTEMPTS = Number(process.env["ATTEMPTS"] ?? 12);

function openPool(): Pool {
	const pool = new Pool({
		connectionString: process.env["DATABASE_URL"] ?? "postgres://localhost/postgres",
		connectionTimeoutMillis: 2_000,
		query_timeout: 4_000,
	});
	pool.on("error", (error) => console.error(error.message));
	return pool;
}

const pool = openPool();
// A pool of its own, so a worker has two: the store must not wait for statements of the bot.
const storePool = openPool();
const sends = postgresSendStore(storePool, { createIfMissing: true });
await pool.query(`
	SELECT pg_advisory_xact_lock(4711);
	CREATE TABLE IF NOT EXISTS unknown_events (event_id text PRIMARY KEY, event text NOT NULL)`);

// Where the gateway reaches receiver.ts.
const publicUrl = process.env["PUBLIC_URL"] ?? `http://127.0.0.1:${process.env["PORT"] ?? 3000}`;
const client = new MessagingGateway();
const gateway = createGatewayAdapter({
	gateway: client,
	sender: createSender({
		gateway: client,
		store: sends,
		statusCallback: (token) => `${publicUrl}/webhooks?send=${token}`,
		leaseMs: Number(process.env["LEASE_MS"] ?? 60_000),
	}),
	// A status proves that a post was accepted, also if its worker died before it got the response.
	onStatus: (event) => observeSend(sends, event),
	// What the bot cannot read is kept, and does not hold its conversation.
	onUnknown: (event) =>
		pool.query("INSERT INTO unknown_events VALUES ($1, $2) ON CONFLICT DO NOTHING", [
			event.eventId,
			JSON.stringify(event),
		]),
});
const bot = new Chat({
	userName: "bot",
	adapters: { gateway },
	// Redis or PostgreSQL, if a thread's state or subscriptions matter to several workers.
	state: createMemoryState(),
	concurrency: "concurrent",
	logger: "silent", // What a handler throws is printed below.
});
bot.onDirectMessage(async (thread, message) => {
	await sleep(Number(process.env["THINKING_MS"] ?? 500)); // stands for the call of a model
	await thread.post(`You said: ${message.text}`);
});
await bot.initialize();

// The seconds: how often it looks for the jobs of killed workers.
const boss = await connect({ superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 });
await boss.work(
	QUEUE,
	// Ten loops, each with a job of another conversation: the next batch would wait for the slowest job of the one before.
	{ localConcurrency: 10, pollingIntervalSeconds: 0.5, perJobResults: true },
	(jobs: Job<QueuedEvent>[]) => Promise.all(jobs.map(attempt)),
);

async function attempt({ id, data, retryCount, signal }: Job<QueuedEvent>): Promise<JobResult> {
	const event: WebhookEvent = JSON.parse(data.event);
	try {
		// The attempts whose worker died count as well.
		if (retryCount >= ATTEMPTS) throw new PermanentWebhookError("its workers died");
		await gateway.process(event, { signal });
		return { id, status: "completed" };
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		console.error(`${id}: ${message}`);
		const isOver = retryCount >= ATTEMPTS - 1 || error instanceof PermanentWebhookError;
		// Its conversation goes on once it is kept.
		const isKept =
			isOver &&
			(await add(boss, FAILED, event, id)
				.then(() => true)
				.catch(() => false));
		return { id, status: isKept ? "completed" : "failed", output: { message } };
	}
}

process.once("SIGTERM", async () => {
	await boss.stop(); // Lets the jobs that are under way finish.
	await Promise.all([pool.end(), storePool.end()]);
});
console.log("waiting for events");
