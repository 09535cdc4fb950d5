/**
 * Processes the events that receiver.ts has queued; run as many as you need. Reads REDIS_URL from the environment.
 *
 * The job of a killed worker goes to another one, so it may run twice: what it does in other systems should carry the event's id
 * as idempotency key.
 */
import { Worker } from "bullmq";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import { QUEUE_NAMES } from "./queues.ts";

// After two or three times this long another worker runs the jobs of a killed one. It must be longer than the event loop ever blocks.
const lockDuration = Number(process.env["LOCK_DURATION_MS"] ?? 30_000);

const workers = QUEUE_NAMES.map((name) => startWorker(name));

function startWorker(queue: string): Worker<WebhookEvent> {
	const worker = new Worker<WebhookEvent>(queue, async ({ data }) => processEvent(data), {
		// With null it waits for Redis as long as it takes.
		connection: { url: process.env["REDIS_URL"] ?? "redis://localhost:6379", maxRetriesPerRequest: null },
		lockDuration,
		stalledInterval: lockDuration,
		// By default a job fails when its second worker dies. A job that has lost ten workers probably kills them.
		maxStalledCount: 10,
	});
	worker.on("failed", (job, error) =>
		console.error(`${job?.id}, attempt ${job?.attemptsMade}: ${error.message}`),
	);
	worker.on("error", (error) => console.error(error.message));
	return worker;
}

async function processEvent(event: WebhookEvent): Promise<void> {
	console.log(`${event.eventId}: ${describe(event)}`);
}

function describe(event: WebhookEvent): string {
	switch (event.kind) {
		case "inbound_message":
			return `a text of ${event.data.text.length} characters`;
		case "inbound_reaction":
			return `a reaction: ${event.data.reaction}`;
		case "status":
			return `${event.data.messageId} is ${event.data.status}`;
		case "unknown":
			return `an unknown event of type ${event.type}`;
	}
}

process.once("SIGTERM", () => Promise.all(workers.map((worker) => worker.close()))); // Lets the jobs that are under way finish.
console.log("waiting for events");
