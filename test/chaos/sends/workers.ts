import { type Child, startChild } from "../child.ts";
import type { Random } from "../random.ts";
import { until } from "../until.ts";
import type { FastClock } from "./fast-clock.ts";
import { LEASE_MS } from "./open-parts.ts";
import { type Job, type JobNote, type JobResult, SENDS_VARIABLE, type SendsSettings } from "./settings.ts";

const WORKER = new URL("worker.ts", import.meta.url);

/** Nobody waits longer for a result: a queue would give the job to another worker. */
const PATIENCE_MS = 2 * LEASE_MS;

/** A job that has no result yet. */
interface Pending {
	readonly job: Job;
	readonly resolve: (result: JobResult | undefined) => void;
}

interface Worker {
	readonly child: Child;
	readonly pending: Map<number, Pending>;
	isStopped: boolean;
	isKilled: boolean;
}

/** What happens to workers. */
export interface WorkersObserver {
	/** A worker strikes itself at a job. */
	onStruck(job: Job): void;
	/** A job came to this, perhaps long after its caller has lost its patience. */
	onResult(job: Job, result: JobResult): void;
}

/** Processes that send. One that is killed is replaced, and one that is stopped goes on after its leases. */
export class Workers implements AsyncDisposable {
	readonly #settings: SendsSettings;
	readonly #clock: FastClock;
	readonly #random: Random;
	readonly #observer: WorkersObserver;
	readonly #all = new Set<Worker>();
	/** Starts under way. */
	readonly #starting = new Set<Promise<void>>();
	#isOver = false;
	/** Workers that ended by themselves, which they never should. */
	crashes = 0;

	constructor(settings: SendsSettings, clock: FastClock, random: Random, observer: WorkersObserver) {
		this.#settings = settings;
		this.#clock = clock;
		this.#random = random;
		this.#observer = observer;
	}

	async start(): Promise<void> {
		const child = await startChild(WORKER, SENDS_VARIABLE, this.#settings);
		const worker: Worker = { child, pending: new Map(), isStopped: false, isKilled: false };
		this.#all.add(worker);
		child.lines.on("line", (line) => this.#note(worker, JSON.parse(line) as JobNote));
		// One that has just killed itself reads no job; its exit tells.
		child.process.stdin?.on("error", () => undefined);
		child.process.once("exit", () => this.#replace(worker));
	}

	/** Gives a job to the next worker. @returns what it came to, or `undefined` if that is not known in time. */
	async run(job: Job): Promise<JobResult | undefined> {
		const findNext = (): Worker | undefined => [...this.#all].find(({ isStopped }) => !isStopped);
		await until(() => findNext() !== undefined);
		const worker = findNext();
		if (worker === undefined) throw new Error("there is no worker");
		// The next job is another one's.
		this.#all.delete(worker);
		this.#all.add(worker);
		const { promise, resolve } = Promise.withResolvers<JobResult | undefined>();
		worker.pending.set(job.id, { job, resolve });
		worker.child.process.stdin?.write(`${JSON.stringify(job)}\n`);
		return Promise.race([promise, this.#clock.pass(PATIENCE_MS).then(() => undefined)]);
	}

	/** Resolves when no job is left without a result, and no worker is stopped. */
	async idle(): Promise<void> {
		await until(() => [...this.#all].every(({ pending, isStopped }) => pending.size === 0 && !isStopped));
	}

	#note(worker: Worker, { id, result }: JobNote): void {
		const pending = worker.pending.get(id);
		if (pending === undefined) return;
		const { job, resolve } = pending;
		if (result === undefined) this.#strike(worker, job);
		else {
			worker.pending.delete(id);
			this.#observer.onResult(job, result);
			resolve(result);
		}
	}

	#strike(worker: Worker, job: Job): void {
		this.#observer.onStruck(job);
		worker.isKilled = job.strike?.kind === "kill";
		worker.isStopped = true;
		if (worker.isKilled) return;
		this.#clock.setTimer(
			() => {
				worker.isStopped = false;
				worker.child.process.kill("SIGCONT");
			},
			LEASE_MS * (1.2 + this.#random.fraction()),
		);
	}

	#replace(worker: Worker): void {
		this.#all.delete(worker);
		for (const { resolve } of worker.pending.values()) resolve(undefined);
		if (this.#isOver) return;
		if (!worker.isKilled) this.crashes++;
		const starting = this.start().catch(() => void this.crashes++);
		this.#starting.add(starting);
		void starting.then(() => this.#starting.delete(starting));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isOver = true;
		await Promise.all(this.#starting);
		for (const { child } of this.#all) child.process.kill("SIGKILL");
		await until(() => this.#all.size === 0);
	}
}
