import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { QUEUE_NAMES } from "../../../examples/bullmq-worker/queues.ts";
import { EXAMPLE_SECRET } from "../../support/prove-example.ts";
import { startRedis } from "../../support/servers/redis-server.ts";
import { type StartedProcess, startProcess } from "../../support/started-process.ts";
import { failWhenPrinting, killWhenPrinting } from "./print-hooks.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** How a worker differs from that of a user. */
interface WorkerOptions {
	/** Kills the worker in the middle of a job, when it prints a line that contains this. */
	readonly killedBy?: string;
	/** Fails a job for good when it prints a line that contains this. */
	readonly failedBy?: string;
	/** How long it holds a job without renewing its lock. The jobs of a slower worker run twice. */
	readonly lockDurationMs?: number;
}

/**
 * What both processes report of a Redis that is stopped, hangs or rejects, which a test does to them, and of a lock that
 * ran out while the machine was busy: the job runs again, and what came of it is asserted.
 */
const OUTAGES =
	/^(messaging-gateway: |evt_\w+ |(Missing (lock|key)|Lock mismatch|could not renew lock) for job |.*\b(ECONNREFUSED|ECONNRESET|EPIPE|Connection is closed|Command timed out|made to fail)\b)/;

/** The example bullmq-worker with its own durable Redis. */
export class QueueExample implements AsyncDisposable {
	readonly redis: Awaited<ReturnType<typeof startRedis>>;
	readonly receiver: StartedProcess;
	readonly workers: StartedProcess[] = [];
	/** The queues, to read the jobs from BullMQ itself. */
	readonly queues: readonly Queue[];
	readonly client: Redis;

	constructor(redis: QueueExample["redis"], receiver: StartedProcess) {
		this.redis = redis;
		this.receiver = receiver;
		this.client = new Redis(redis.url, { maxRetriesPerRequest: null });
		this.queues = QUEUE_NAMES.map((name) => new Queue(name, { connection: this.client }));
		// Redis is stopped on purpose.
		for (const queue of this.queues) queue.on("error", () => undefined);
	}

	/** Starts a worker as users do, with changes from the options. */
	async startWorker(options: WorkerOptions = {}): Promise<StartedProcess> {
		const { killedBy, failedBy, lockDurationMs } = options;
		const hook = [
			...(killedBy === undefined ? [] : killWhenPrinting(killedBy)),
			...(failedBy === undefined ? [] : failWhenPrinting(failedBy, "UnrecoverableError")),
		];
		const worker = await start("worker", /^waiting/, hook, {
			REDIS_URL: this.redis.url,
			LOCK_DURATION_MS: lockDurationMs?.toString(),
		});
		this.workers.push(worker);
		return worker;
	}

	/** What all workers have printed. */
	get lines(): string[] {
		return this.workers.flatMap(({ lines }) => lines);
	}

	/** How many jobs are in each state, in all queues together. */
	async countJobs(): Promise<Record<string, number>> {
		const sums: Record<string, number> = {};
		for (const queue of this.queues) {
			const counts = await queue.getJobCounts();
			for (const [state, count] of Object.entries(counts)) sums[state] = (sums[state] ?? 0) + count;
		}
		return sums;
	}

	/** The ids of the jobs that were completed, each as often as it was. */
	async completions(): Promise<string[]> {
		const events = await Promise.all(this.queues.map((queue) => this.#eventsOf(queue)));
		return events.flat().flatMap(({ event, jobId }) => (event === "completed" ? [jobId] : []));
	}

	/** The ids of the jobs that began while another one of their queue ran. */
	async overlaps(): Promise<string[]> {
		const events = await Promise.all(this.queues.map((queue) => this.#eventsOf(queue)));
		return events.flatMap((ofQueue) => {
			const running = new Set<string>();
			return ofQueue.flatMap(({ event, jobId }) => {
				if (event !== "active") {
					// Its run has ended, or its worker has.
					running.delete(jobId);
					return [];
				}
				running.add(jobId);
				return running.size > 1 ? [jobId] : [];
			});
		});
	}

	/** The stream in which BullMQ records every step. */
	async #eventsOf(queue: Queue): Promise<{ event: string; jobId: string }[]> {
		const entries = await this.client.xrange(queue.toKey("events"), "-", "+");
		return entries.map(([, fields]) => {
			const { event = "", jobId = "" }: NodeJS.Dict<string> = Object.fromEntries(pairs(fields));
			return { event, jobId };
		});
	}

	/** Runs replay.ts. @returns what it prints. */
	async replay(...args: string[]): Promise<string[]> {
		const command = ["--conditions=@messaging-gateway/source", "examples/bullmq-worker/replay.ts", ...args];
		const env = { ...process.env, REDIS_URL: this.redis.url };
		const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT, env });
		return stdout.split("\n").filter((line) => line !== "");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const process of [...this.workers, this.receiver]) await process[Symbol.asyncDispose]();
		this.client.disconnect();
		await Promise.all(this.queues.map((queue) => queue.close()));
		await this.redis[Symbol.asyncDispose]();
	}
}

/** Starts Redis and the receiver; workers are started by the test. */
export async function startQueueExample(): Promise<QueueExample> {
	const redis = await startRedis({ durable: true });
	try {
		const receiver = await start("receiver", /^listening/, [], {
			REDIS_URL: redis.url,
			MESSAGING_GATEWAY_WEBHOOK_SECRET: EXAMPLE_SECRET,
		});
		return new QueueExample(redis, receiver);
	} catch (error) {
		await redis[Symbol.asyncDispose]();
		throw error;
	}
}

function start(name: string, ready: RegExp, hook: string[], environment: NodeJS.Dict<string>) {
	const args = [...hook, "--conditions=@messaging-gateway/source", `examples/bullmq-worker/${name}.ts`];
	return startProcess(args, { cwd: ROOT, environment, ready, expectedErrors: OUTAGES });
}

function pairs(fields: readonly string[]): [string, string][] {
	return fields.flatMap((field, at) => (at % 2 === 0 ? [[field, fields[at + 1] ?? ""]] : []));
}
