/**
 * Adds each event to a queue in Redis, and then responds with 200; worker.ts processes it. Reads PORT, REDIS_URL and
 * MESSAGING_GATEWAY_WEBHOOK_SECRET from the environment. Redis should run with `appendonly yes` and `maxmemory-policy noeviction`:
 * a queue is as durable as its Redis.
 */
import { Queue } from "bullmq";
import express from "express";
import { Redis } from "ioredis";
import { fromIoredis, redisStore } from "messaging-gateway/stores/redis";
import { createWebhookHandler, type WebhookEvent } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";

// It fails at once without Redis, and after a while if Redis hangs. The event is then not acknowledged.
const redis = new Redis(process.env["REDIS_URL"] ?? "redis://localhost:6379", {
	enableOfflineQueue: false,
	commandTimeout: 3_000,
});

const queue = new Queue<WebhookEvent>("webhooks", {
	connection: redis,
	defaultJobOptions: {
		attempts: 12, // over half an hour
		backoff: { type: "exponential", delay: 1_000 },
		removeOnComplete: { age: 24 * 60 * 60 },
		removeOnFail: { age: 30 * 24 * 60 * 60 }, // Time to look at it, and to run it again.
	},
});
queue.on("error", (error) => console.error(error.message));

const webhooks = createWebhookHandler({
	store: redisStore(fromIoredis(redis)),
	enqueue: (event) => queue.add(event.kind, event, { jobId: toJobId(event.eventId) }),
	// Only the message: an error of Redis contains the command, and with it the payload.
	onError: (error, { hint, eventId }) =>
		console.error(eventId, hint, error instanceof Error ? error.message : ""),
});

/** BullMQ rejects numbers and colons, and silently loses a job whose id is one of its own keys, such as "meta". */
function toJobId(eventId: string): string {
	return `event-${encodeURIComponent(eventId)}`;
}

const app = express();
app.post("/webhooks", toExpress(webhooks));

await queue.waitUntilReady();
const port = Number(process.env["PORT"] ?? 3000);
const server = app.listen(port, (error) => {
	if (error) throw error;
	console.log(`listening on port ${port}`);
});

process.once("SIGTERM", () => {
	// Open deliveries get their response first.
	server.close(async () => {
		await queue.close();
		redis.disconnect();
	});
});
