import DataLoader from "dataloader";
import fastq from "fastq";
import PQueue from "p-queue";

/** Something that is done for whoever left it to a queue within the process. */
export type QueuedWork = () => Promise<unknown>;

/** Leaves work to a queue. @returns what the work results in. */
export type Enqueue = (work: QueuedWork) => Promise<unknown>;

/** Queues within a process: work runs in the context of whoever was first, and so started the loop for all. */
export const IN_PROCESS_QUEUES = {
	fastq(concurrency: number): Enqueue {
		const queue = fastq.promise((work: QueuedWork) => work(), concurrency);
		return (work) => queue.push(work);
	},
	"p-queue"(concurrency: number): Enqueue {
		const queue = new PQueue({ concurrency });
		return (work) => queue.add(work);
	},
	DataLoader(): Enqueue {
		const loader = new DataLoader<QueuedWork, unknown>(
			(batch) => Promise.all(batch.map((work) => work().catch((error: unknown) => Object(error)))),
			{ cache: false },
		);
		return (work) => loader.load(work);
	},
	"a hand-made queue"(): Enqueue {
		const waiting: QueuedWork[] = [];
		let isDraining = false;
		async function drain(): Promise<void> {
			isDraining = true;
			for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
			isDraining = false;
		}
		return (work) =>
			new Promise((resolve, reject) => {
				waiting.push(() => work().then(resolve, reject));
				if (!isDraining) void drain();
			});
	},
	/** Begun with the process: its work has no context at all. */
	"a loop from the start"(): Enqueue {
		const waiting: QueuedWork[] = [];
		let wake: (value?: unknown) => void = () => undefined;
		async function loop(): Promise<never> {
			for (;;) {
				const next = waiting.shift();
				await (next?.() ??
					new Promise((resolve) => {
						wake = resolve;
					}));
			}
		}
		void loop();
		return (work) =>
			new Promise((resolve, reject) => {
				waiting.push(() => work().then(resolve, reject));
				wake();
			});
	},
} as const satisfies Record<string, (concurrency: number) => Enqueue>;

export type QueueName = keyof typeof IN_PROCESS_QUEUES;

export const QUEUE_NAMES = Object.keys(IN_PROCESS_QUEUES) as QueueName[];
