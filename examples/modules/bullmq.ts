/** The receiver and the worker on BullMQ, which you usually run as two programs. The conversation's hash chooses one of eight queues. */
import { createHash } from "node:crypto";
import { Queue, UnrecoverableError, Worker } from "bullmq";
import { Redis } from "ioredis";
import { fromIoredis, redisStore } from "messaging-gateway/stores/redis";
import {
	conversationOf,
	createWebhookHandler,
	PermanentWebhookError,
	type WebhookEvent,
} from "messaging-gateway/webhooks";

const SHARDS = 8;
const DAY = 24 * 60 * 60;
const url = process.env["REDIS_URL"] ?? "redis://localhost";
// The sender of a webhook must not wait for Redis.
const redis = new Redis(url, { enableOfflineQueue: false, commandTimeout: 3_000, lazyConnect: true });
redis.on("error", (error) => console.error(error.message));

const queues = Array.from({ length: SHARDS }, (_, shard) => {
	const queue = new Queue<WebhookEvent>(`webhooks-${shard}`, {
		connection: redis,
		defaultJobOptions: {
			attempts: 12, // over half an hour
			backoff: { type: "exponential", delay: 1_000 },
			removeOnComplete: { age: 7 * DAY }, // until then a repeat is recognized: as long as the handler remembers it
			removeOnFail: { age: 30 * DAY }, // until then it can be replayed
		},
	});
	queue.on("error", (error) => console.error(error.message));
	return queue;
});

export const webhooks = createWebhookHandler({
	store: redisStore(fromIoredis(redis)),
	enqueue: async (event) => {
		const conversation = conversationOf(event) ?? event.eventId;
		const queue = queues[createHash("sha256").update(conversation).digest().readUInt32BE() % SHARDS];
		await queue?.add(event.kind, event, { jobId: `event-${encodeURIComponent(event.eventId)}` });
	},
	// Only the stack: an error of Redis has the command as a field, and with it the payload.
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

/** Starts the worker. */
export async function startWorker(): Promise<void> {
	const connection = { url, maxRetriesPerRequest: null }; // waits for Redis as long as it takes
	for (const queue of queues) {
		await queue.setGlobalConcurrency(1); // in all processes together
		const worker = new Worker<WebhookEvent>(queue.name, ({ data }) => attempt(data), {
			connection,
			maxStalledCount: 10,
		});
		worker.on("failed", (job, error) => console.error(`${job?.id}: ${error.message}`));
		worker.on("error", (error) => console.error(error.message));
	}
}

async function attempt(event: WebhookEvent): Promise<void> {
	try {
		await work(event);
	} catch (error) {
		throw error instanceof PermanentWebhookError ? new UnrecoverableError(error.message) : error;
	}
}

async function work(event: WebhookEvent): Promise<void> {
	console.log(event.kind); // inbound_message
}

/** Processes the events again that have failed for good. */
export async function replay(): Promise<void> {
	for (const queue of queues) {
		for (const job of await queue.getFailed()) await job.retry("failed", { resetAttemptsMade: true });
	}
}
