/**
 * Processes the events that receiver.ts has queued; run as many as you need. Reads DATABASE_URL from the environment.
 *
 * The job of a killed worker goes to another one, so it may run twice: what it does in other systems should carry the event's id
 * as idempotency key.
 */
import { PermanentWebhookError, type WebhookEvent } from "messaging-gateway/webhooks";
import type { Job, JobResult } from "pg-boss";
import { add, connect, FAILED, QUEUE, type QueuedEvent } from "./queue.ts";

/** How often an event is tried: over half an hour. */
const ATTEMPTS = Number(process.env["ATTEMPTS"] ?? 12);

// How often it looks for the jobs of killed workers.
const boss = await connect({ superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 });

await boss.work(
	QUEUE,
	// Ten loops, each with a job of another conversation: the next batch would wait for the slowest job of the one before.
	{ localConcurrency: 10, pollingIntervalSeconds: 0.5, perJobResults: true },
	(jobs: Job<QueuedEvent>[]) => Promise.all(jobs.map(attempt)),
);

/** Runs a job. One that fails is retried alone; after its last attempt it is given up, and its conversation goes on. */
async function attempt({ id, data, retryCount }: Job<QueuedEvent>): Promise<JobResult> {
	const event: WebhookEvent = JSON.parse(data.event);
	try {
		// The attempts whose worker died count as well.
		if (retryCount >= ATTEMPTS) throw new PermanentWebhookError("its workers died");
		await processEvent(event);
		return { id, status: "completed" };
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		console.error(`${id}, attempt ${retryCount + 1}: ${message}`);
		const isOver = retryCount >= ATTEMPTS - 1 || error instanceof PermanentWebhookError;
		// Its conversation goes on once it is kept.
		const isKept =
			isOver &&
			(await add(boss, FAILED, event, id, message)
				.then(() => true)
				.catch(() => false));
		return { id, status: isKept ? "completed" : "failed", output: { message } };
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
