/**
 * Processes the events that receiver.ts has queued; run as many as you need. Reads REDIS_URL from the environment.
 *
 * The job of a worker that was killed is given to another one, so it may run twice: whatever it does elsewhere should carry the
 * event's id as its idempotency key.
 */
import { Worker } from "bullmq";
import type { WebhookEvent } from "messaging-gateway/webhooks";

// After two or three times this long the jobs of a killed worker run elsewhere. It must outlast whatever blocks the event loop.
const lockDuration = Number(process.env["LOCK_DURATION_MS"] ?? 30_000);

const worker = new Worker<WebhookEvent>("webhooks", async ({ data }) => processEvent(data), {
	// With null it waits for a Redis that is away, for as long as it takes.
	connection: { url: process.env["REDIS_URL"] ?? "redis://localhost:6379", maxRetriesPerRequest: null },
	concurrency: 10,
	lockDuration,
	stalledInterval: lockDuration,
	// By default a job fails when its second worker dies. One that outlives ten is likely what kills them.
	maxStalledCount: 10,
});
worker.on("failed", (job, error) =>
	console.error(`${job?.id}, attempt ${job?.attemptsMade}: ${error.message}`),
);
worker.on("error", (error) => console.error(error.message));

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
			return `not known, of type ${event.type}`;
	}
}

console.log("waiting for events");
process.once("SIGTERM", () => worker.close()); // Lets the jobs that are under way finish.
