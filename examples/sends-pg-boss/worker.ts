/**
 * Sends the notices that receiver.ts has committed; run as many as you need. Reads the same variables.
 *
 * A job may run twice, and there may be two jobs of one key: the message is sent once.
 */
import { listSends } from "messaging-gateway/sends";
import type { Job } from "pg-boss";
import { connect, type Notice, QUEUE } from "./queue.ts";
import { closePools, sendNotice, store } from "./sender.ts";

// How often it looks for the jobs of killed workers.
const boss = await connect({ superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 });

await boss.work(QUEUE, { localConcurrency: 5, pollingIntervalSeconds: 0.5 }, async ([job]: Job<Notice>[]) => {
	if (job === undefined) return;
	const { key } = job.data;
	const waitMs = await sendNotice(key);
	if (waitMs !== undefined) {
		await boss.upsert(QUEUE, { key }, { singletonKey: key, startAfter: Math.ceil(waitMs / 1000) });
	}
});

/** Adds a job for each open send that has none, as after its last retry; one that waits stays as it is. */
async function addMissingJobs(): Promise<void> {
	for await (const { key } of listSends(store, { status: "open" })) {
		await boss.upsert(QUEUE, { key }, { singletonKey: key });
	}
}

const sweep = setInterval(() => addMissingJobs().catch((error) => console.error(error.message)), 60_000);

process.once("SIGTERM", async () => {
	clearInterval(sweep);
	await boss.stop(); // Lets the jobs that are under way finish.
	await closePools();
});
console.log("waiting for notices");
