import { readFileSync } from "node:fs";
import { type JobsOptions, Queue, UnrecoverableError, Worker } from "bullmq";
import { Redis } from "ioredis";
import { memoryStore } from "messaging-gateway/webhooks";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openQueues } from "../../examples/bullmq-worker/queues.ts";
import { resolveHandlerOptions } from "../../src/library/webhooks/handler-options.ts";
import { share } from "../support/shared/shared.ts";

const JOB_ID = "event-evt_1";
let connection: Redis;
let kept: JobsOptions;

beforeAll(async () => {
	connection = new Redis((await share("redis")).url, { maxRetriesPerRequest: null });
	const queues = await openQueues(connection);
	for (const queue of queues.values()) {
		kept = queue.defaultJobOptions;
		await queue.close();
	}
});

afterAll(() => void connection.disconnect());

/** A queue with these options, and a worker that fails for good as often as it is told. */
async function start(defaultJobOptions: JobsOptions, failures = 0) {
	const name = `kept-${crypto.randomUUID()}`;
	const queue = new Queue(name, { connection, defaultJobOptions });
	let runs = 0;
	const worker = new Worker(
		name,
		async () => {
			if (runs++ < failures) throw new UnrecoverableError("made to fail");
		},
		{ connection },
	);
	onTestFinished(async () => {
		await worker.close();
		await queue.obliterate({ force: true });
		await queue.close();
	});
	const add = () => queue.add("inbound_message", {}, { jobId: JOB_ID });
	/** Adds another job, and waits until it is done: whatever was added before has run then. */
	const settle = async () => {
		const { id } = await queue.add("status", {});
		// One that is removed is unknown.
		await expect.poll(() => queue.getJobState(String(id))).toMatch(/^(completed|unknown)$/);
	};
	return { queue, add, settle, ranBesides: (others: number) => runs - others };
}

describe("a repeat of an event, in a queue that keeps its jobs as the examples do,", () => {
	test("is ignored once the first is done", async () => {
		const { add, settle, ranBesides } = await start(kept);
		await add();
		await settle();
		await add();
		await settle();
		expect(ranBesides(2)).toBe(1);
	});

	test("is ignored once the first has failed for good, which is retried instead", async () => {
		const { queue, add, settle, ranBesides } = await start(kept, 1);
		await add();
		await expect.poll(() => queue.getJobState(JOB_ID)).toBe("failed");
		await add();
		await settle();
		expect([ranBesides(1), await queue.getJobState(JOB_ID)]).toEqual([1, "failed"]);
		for (const job of await queue.getFailed()) await job.retry("failed", { resetAttemptsMade: true });
		await expect.poll(() => queue.getJobState(JOB_ID)).toBe("completed");
	});
});

test("a repeat runs again in a queue that removes what is done", async () => {
	const { add, settle, ranBesides } = await start({ ...kept, removeOnComplete: true });
	await add();
	await settle();
	await add();
	await settle();
	expect(ranBesides(2)).toBe(2);
});

const DAY = 24 * 60 * 60;
const { retentionMs } = resolveHandlerOptions({ store: memoryStore(), on: { unknown: () => undefined } });

test("the example keeps a job as long as the handler remembers its event", () => {
	expect(kept).toMatchObject({
		removeOnComplete: { age: retentionMs / 1000 },
		removeOnFail: { age: 30 * DAY },
	});
});

test.each(["docs/queues.md", "examples/modules/bullmq.ts"])("%s keeps a job as long", (path) => {
	const text = readFileSync(path, "utf8");
	const days = /removeOnComplete: \{ age: (\d+) \* DAY \}/.exec(text)?.[1];
	expect(Number(days) * DAY * 1000).toBe(retentionMs);
	expect(text).toContain("removeOnFail: { age: 30 * DAY }");
});
