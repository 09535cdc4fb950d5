/**
 * Sends the notices that receiver.ts has committed; run as many as you need. Reads the same variables.
 *
 * A job may run twice, and may be lost: the message is sent once.
 */
import { DelayedError, Worker } from "bullmq";
import { Redis } from "ioredis";
import { listSends } from "messaging-gateway/sends";
import { addJob, type Notice, openQueue, QUEUE } from "./queue.ts";
import { closePools, sendNotice, store } from "./sender.ts";

// With null it waits for Redis as long as it takes.
const connection = new Redis(process.env["REDIS_URL"] ?? "redis://localhost:6379", {
	maxRetriesPerRequest: null,
});
// After two or three times this long another worker runs the jobs of a killed one.
const lockDuration = Number(process.env["LOCK_DURATION_MS"] ?? 30_000);

const options = {
	connection,
	concurrency: 5,
	lockDuration,
	stalledInterval: lockDuration,
	maxStalledCount: 10,
};
const worker = new Worker<Notice>(
	QUEUE,
	async (job, token) => {
		const waitMs = await sendNotice(job.data.key);
		if (waitMs === undefined) return;
		await job.moveToDelayed(Date.now() + waitMs, token);
		throw new DelayedError(); // This does not count as an attempt.
	},
	options,
);
worker.on("error", (error) => console.error(error.message));

const queue = openQueue(connection);

/** Adds the jobs of open sends that have none: their receiver died after its commit, or Redis lost them. */
async function addMissingJobs(): Promise<void> {
	for await (const { key } of listSends(store, { status: "open" })) await addJob(queue, key);
}

const relay = setInterval(() => addMissingJobs().catch((error) => console.error(error.message)), 5_000);

process.once("SIGTERM", async () => {
	clearInterval(relay);
	await worker.close(); // Lets the jobs that are under way finish.
	await queue.close();
	connection.disconnect();
	await closePools();
});
console.log("waiting for notices");
