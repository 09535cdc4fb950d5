/** Lists the events that have failed for good; `--run` processes them again. Reads REDIS_URL from the environment. */
import { Redis } from "ioredis";
import { openQueues } from "./queues.ts";

const redis = new Redis(process.env["REDIS_URL"] ?? "redis://localhost:6379");
const queues = await openQueues(redis);
for (const queue of queues.values()) {
	for (const job of await queue.getFailed()) {
		console.log(`${job.id}: ${job.failedReason}`);
		if (process.argv.includes("--run")) await job.retry("failed", { resetAttemptsMade: true });
	}
	await queue.close();
}
redis.disconnect();
