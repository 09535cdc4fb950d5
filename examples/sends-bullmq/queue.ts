import { Queue } from "bullmq";
import type { Redis } from "ioredis";

export const QUEUE = "notices";

/** A job has the key of its send only: the number and the text are in the table `notices`. */
export interface Notice {
	key: string;
}

/** The queue. It may lose jobs, as a Redis can: worker.ts adds them again, since the intents are in PostgreSQL. */
export function openQueue(connection: Redis): Queue<Notice> {
	const queue = new Queue<Notice>(QUEUE, {
		connection,
		defaultJobOptions: {
			// For a gateway or a network that is down: over half an hour.
			attempts: 12,
			backoff: { type: "exponential", delay: 1_000 },
			removeOnComplete: true,
			removeOnFail: true, // Or worker.ts could not add its job again.
		},
	});
	queue.on("error", (error) => console.error(error.message));
	return queue;
}

/** Adds the job of a send, unless it is there. */
export async function addJob(queue: Queue<Notice>, key: string): Promise<void> {
	await queue.add("notice", { key }, { jobId: key });
}
