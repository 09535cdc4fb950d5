/**
 * Processes the events that receiver.ts has queued; run as many as you need. Reads DATABASE_URL from the environment.
 *
 * The job of a killed worker goes to another one, so it may run twice: what it does in other systems should carry the event's id
 * as idempotency key.
 */
import type { WebhookEvent } from "messaging-gateway/webhooks";
import type { Job, JobResult } from "pg-boss";
import { connect, QUEUE, type QueuedEvent } from "./queue.ts";

// How often it looks for the jobs of killed workers.
const boss = await connect({ superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 });

await boss.work(
	QUEUE,
	{ batchSize: 10, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5, perJobResults: true },
	// A batch has one job of each conversation.
	(jobs: Job<QueuedEvent>[]) => Promise.all(jobs.map(attempt)),
);

/** Runs a job. One that fails is retried alone, and after its last attempt it holds its conversation: see replay.ts. */
async function attempt({ id, data, retryCount }: Job<QueuedEvent>): Promise<JobResult> {
	try {
		await processEvent(JSON.parse(data.event));
		return { id, status: "completed" };
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		console.error(`${id}, attempt ${retryCount + 1}: ${message}`);
		return { id, status: "failed", output: { message } };
	}
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

process.once("SIGTERM", () => boss.stop()); // Lets the jobs that are under way finish.
console.log("waiting for events");
