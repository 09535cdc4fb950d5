import type { World } from "./world.ts";

/** How long a job is waited for, before another worker gets it. */
const LEASES_MS = [12_000, 30_000];

/** How long a job waits before its next try. */
const RETRY_MS = [0, 500, 5_000, 15_000];

export interface Job {
	readonly id: string;
	/** The event as JSON. */
	readonly event: string;
	readonly conversation: string;
	readonly leaseMs: number;
	/** Its place in the order in which the jobs were added. */
	readonly place: number;
	state: "waiting" | "running" | "done";
	/** When another worker may run it. */
	freeAt: number;
}

/** A durable queue that runs a job at least once, as those of docs/queues.md do: it does not look who ends a job. */
export class PlayedQueue {
	readonly jobs: Job[] = [];
	/** How long each job is waited for, if all are alike. */
	leaseMs: number | undefined;
	/** Whether a conversation has one job at a time, in order. */
	readonly isOrdered: boolean;
	readonly #world: World;

	constructor(world: World) {
		this.#world = world;
		this.isOrdered = world.random.chance(0.6);
	}

	/** A second job with an id is ignored. */
	add(job: Pick<Job, "id" | "event" | "conversation">): void {
		if (this.jobs.some(({ id }) => id === job.id)) return;
		const chosenMs = this.#world.random.pick(LEASES_MS);
		const leaseMs = this.leaseMs ?? chosenMs;
		this.jobs.push({ ...job, leaseMs, place: this.jobs.length, state: "waiting", freeAt: 0 });
	}

	/** The first job that may run now. */
	find(): Job | undefined {
		const open = this.jobs.filter(({ state }) => state !== "done");
		return open.find(
			({ freeAt, conversation, place }) =>
				freeAt <= this.#world.now &&
				!(this.isOrdered && open.some((job) => job.conversation === conversation && job.place < place)),
		);
	}

	/** Gives a worker a job, for the time of its lease. */
	take(): Job | undefined {
		const job = this.find();
		if (job === undefined) return undefined;
		return Object.assign(job, { state: "running", freeAt: this.#world.now + job.leaseMs });
	}

	complete(job: Job): void {
		job.state = "done";
	}

	fail(job: Job): void {
		if (job.state !== "running") return;
		job.state = "waiting";
		job.freeAt = this.#world.now + this.#world.random.pick(RETRY_MS);
	}
}
