import { createHash } from "node:crypto";
import { type JobsOptions, Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { WebhookEvent } from "messaging-gateway/webhooks";

/** How many queues there are, and so how many jobs run at a time. With another number conversations change their queue. */
const SHARDS = 8;

const defaultJobOptions: JobsOptions = {
	attempts: 12, // over half an hour
	backoff: { type: "exponential", delay: 1_000 },
	// Until then a repeat is recognised by its job's id. It must outlast the handler's memory of the event, `retentionMs`, and
	// the sender's last retry.
	removeOnComplete: { age: 7 * 24 * 60 * 60 },
	removeOnFail: { age: 30 * 24 * 60 * 60 }, // Time to look at it, and to run it again with replay.ts.
};

export const QUEUE_NAMES: readonly string[] = Array.from({ length: SHARDS }, (_, at) => `webhooks-${at}`);

/** The name of a conversation's queue. BullMQ orders a queue, and has no groups within it. */
export function queueNameOf(conversation: string): string {
	return `webhooks-${createHash("sha256").update(conversation).digest().readUInt32BE() % SHARDS}`;
}

/** Every queue, each with one job at a time in all processes together. */
export async function openQueues(connection: Redis): Promise<ReadonlyMap<string, Queue<WebhookEvent>>> {
	const queues = new Map<string, Queue<WebhookEvent>>();
	for (const name of QUEUE_NAMES) {
		const queue = new Queue<WebhookEvent>(name, { connection, defaultJobOptions });
		queue.on("error", (error) => console.error(error.message));
		await queue.setGlobalConcurrency(1);
		queues.set(name, queue);
	}
	return queues;
}
