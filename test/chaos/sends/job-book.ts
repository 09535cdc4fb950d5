import { nameOf, type PlannedSend, type Scenario } from "./plan.ts";
import type { ProxyObserver } from "./proxy.ts";
import type { Job, JobResult, Struck } from "./settings.ts";
import type { WorkersObserver } from "./workers.ts";

/** A job that was given to a worker. */
interface StartedJob {
	readonly job: Job;
	readonly send: PlannedSend;
	/** How often somebody had decided to send again by then. */
	readonly decisions: number;
	/** Whether its worker was stopped right before signing, until the lease was over. */
	isStopped: boolean;
}

/** All jobs, and what the workers and the proxy saw of them. */
export class JobBook implements ProxyObserver, WorkersObserver {
	readonly #started: StartedJob[] = [];
	/** How often each strike and each fault happened. */
	readonly strikes: Record<string, number> = {};
	readonly lateArrivals = { accepted: 0, refused: 0 };
	/** Keys that a worker sent although its lease was over before it signed. */
	readonly sentAfterLease: string[] = [];
	/** Keys of which a request was held back, and accepted after somebody had decided to send again. */
	readonly acceptedTooLate: string[] = [];

	/** How many jobs there were. */
	get size(): number {
		return this.#started.length;
	}

	get struckCount(): number {
		return Object.values(this.strikes).reduce((sum, count) => sum + count, 0);
	}

	/** Begins a job of a send; its strike or fault comes with it until it has happened. */
	begin(send: PlannedSend): Job {
		const { key, to, text, hasCallback, scenario, isStruck, decisions } = send;
		const { strike, fault } = isStruck ? {} : scenario;
		const job: Job = { id: this.size, key, to, text, hasCallback, strike, fault };
		this.#started.push({ job, send, decisions, isStopped: false });
		return job;
	}

	onStruck({ id, strike }: Job): void {
		const started = this.#find(id);
		this.#count(started, { strike });
		started.isStopped = strike?.kind === "stop" && strike.before === "sign";
	}

	onResult({ id }: Job, { status }: JobResult): void {
		if (status === "accepted") this.#find(id).send.isReported = true;
	}

	onPost({ job, fault }: Struck): void {
		const started = this.#find(job);
		if (fault) this.#count(started, { fault });
		if (started.isStopped) this.sentAfterLease.push(started.send.key);
	}

	onLateArrival(job: number, status: number): void {
		const { send, decisions } = this.#find(job);
		const isAccepted = status < 300;
		this.lateArrivals[isAccepted ? "accepted" : "refused"]++;
		if (isAccepted && send.decisions > decisions) this.acceptedTooLate.push(send.key);
	}

	#count({ send }: StartedJob, happened: Scenario): void {
		const name = nameOf(happened) ?? "";
		send.isStruck = true;
		this.strikes[name] = (this.strikes[name] ?? 0) + 1;
	}

	#find(id: number): StartedJob {
		const started = this.#started[id];
		if (started === undefined) throw new Error(`there is no job ${id}`);
		return started;
	}
}
