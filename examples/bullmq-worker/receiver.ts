/**
 * Adds each event to a queue in Redis, and then responds with 200; worker.ts processes it, one at a time in a conversation.
 * Reads PORT, REDIS_URL and MESSAGING_GATEWAY_WEBHOOK_SECRET from the environment. Redis should run with `appendonly yes` and
 * `maxmemory-policy noeviction`: a queue is as durable as its Redis.
 */
import { once } from "node:events";
import express from "express";
import { Redis } from "ioredis";
import { fromIoredis, redisStore } from "messaging-gateway/stores/redis";
import { conversationOf, createWebhookHandler } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { openQueues, queueNameOf } from "./queues.ts";

// It fails at once without Redis, and after a while if Redis hangs. The event is then not acknowledged.
const redis = new Redis(process.env["REDIS_URL"] ?? "redis://localhost:6379", {
	enableOfflineQueue: false,
	commandTimeout: 3_000,
});
await once(redis, "ready");

const queues = await openQueues(redis);

const webhooks = createWebhookHandler({
	// The jobs' ids recognise a repeat too. The store adds a captured delivery that comes under another id; without it,
	// `memoryStore()` saves three round trips.
	store: redisStore(fromIoredis(redis)),
	enqueue: async (event, { readBody }) => {
		// Kept as it was sent: the worker only prints what is not as documented.
		if (event.kind === "unknown") await redis.hsetnx("unknown_events", event.eventId, readBody());
		const queue = queues.get(queueNameOf(conversationOf(event) ?? event.eventId));
		if (queue === undefined) throw new Error("there is no queue");
		await queue.add(event.kind, event, { jobId: toJobId(event.eventId) });
	},
	// Only the stack: an error of Redis has the command as a field, and with it the payload.
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

/** BullMQ rejects numbers and colons, and silently loses a job whose id is one of its own keys, such as "meta". */
function toJobId(eventId: string): string {
	return `event-${encodeURIComponent(eventId)}`;
}

const app = express();
app.all("/webhooks", toExpress(webhooks));

const port = Number(process.env["PORT"] ?? 3000);
const server = app.listen(port, (error) => {
	if (error) throw error;
	console.log(`listening on port ${port}`);
});

process.once("SIGTERM", () => {
	// Open deliveries get their response first.
	server.close(async () => {
		await Promise.all(Array.from(queues.values(), (queue) => queue.close()));
		redis.disconnect();
	});
});
