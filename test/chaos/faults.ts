import { setTimeout as sleep } from "node:timers/promises";
import type { Children } from "./children.ts";
import type { Random } from "./random.ts";
import type { FaultCounts, FaultKind } from "./report.ts";
import { FAULT_KINDS, TRIES } from "./report.ts";
import type { Outage, StoreServer } from "./servers.ts";
import { until } from "./until.ts";

/** No fault comes after this share of the tasks, so that the last one finds some as well. */
const LAST_MARK = 0.85;

/** How long it takes until the next task when there are enough, but a fault still waits for some. */
const TRICKLE_MS = 100;

/** What is struck: processes that work with one store. */
export interface Scene {
	readonly children: Children;
	readonly server: StoreServer;
	readonly random: Random;
	/** How many tasks are asked for, and how many are under way at once. */
	readonly tasks: number;
	readonly window: number;
	/** How many tasks have come to an end. */
	readonly done: () => number;
	/** Fires when the run is over, in time or not. */
	readonly over: AbortSignal;
}

/** A fault and when it comes: by progress rather than by time, so that each finds tasks under way. */
interface ScheduledFault {
	readonly kind: FaultKind;
	/** How many tasks are done by then. */
	readonly mark: number;
}

/** Brings faults about while tasks are under way, in an order that the seed decides, and counts them. */
export class Faults {
	readonly #scene: Scene;
	readonly scheduled: FaultCounts;
	/** How often each was tried, and how often it interrupted something. */
	readonly tried: Record<FaultKind, number> = { kill: 0, cut: 0, restart: 0, hang: 0 };
	readonly struck: Record<FaultKind, number> = { kill: 0, cut: 0, restart: 0, hang: 0 };
	/** What a process did that it should not. */
	readonly problems: string[] = [];
	readonly #open: ScheduledFault[];
	/** How many tasks may come beyond the mark of a fault that has not ended. */
	readonly #slack: number;
	/** One process is killed at a time, and the server takes one fault after the other. */
	readonly #kills = new Queue();
	readonly #outages = new Queue();

	constructor(scene: Scene, scheduled: FaultCounts) {
		this.#scene = scene;
		const { server, random, tasks } = scene;
		this.scheduled = {
			...scheduled,
			cut: server.cut ? scheduled.cut : 0,
			restart: server.restarts.length > 0 ? scheduled.restart : 0,
		};
		const kinds = FAULT_KINDS.flatMap((kind) => Array<FaultKind>(this.scheduled[kind]).fill(kind));
		const share = (tasks * LAST_MARK) / kinds.length;
		this.#open = random
			.shuffle(kinds)
			.map((kind, at) => ({ kind, mark: Math.floor((at + random.fraction()) * share) }));
		this.#slack = Math.ceil((tasks / kinds.length) * 2);
	}

	/**
	 * Makes tasks while the faults come: as many as are asked for, and more while a fault waits for some.
	 * @param make - makes some, which come to an end later. @returns how many.
	 * @returns how many were made, when all faults are over.
	 */
	async runWith(make: () => number | Promise<number>): Promise<number> {
		const [made] = await Promise.all([this.#feed(make), this.#strikeAll()]);
		return made;
	}

	async #feed(make: () => number | Promise<number>): Promise<number> {
		const { tasks, window, done, over } = this.#scene;
		let made = 0;
		while (made < tasks || this.#open.length > 0) {
			if (made >= done() + window) {
				await sleep(5, undefined, { signal: over });
				continue;
			}
			// The last task must not be done before the last fault has come.
			const limit = Math.min(tasks, (this.#open[0]?.mark ?? tasks) + this.#slack);
			if (made >= limit) await sleep(TRICKLE_MS, undefined, { signal: over });
			made += await make();
		}
		return made;
	}

	async #strikeAll(): Promise<void> {
		const { done, over } = this.#scene;
		const strikes: Promise<void>[] = [];
		for (const fault of [...this.#open]) {
			while (done() < fault.mark) await sleep(10, undefined, { signal: over });
			const queue = fault.kind === "kill" ? this.#kills : this.#outages;
			const strike = queue
				.add(() => this.#tryUntilStruck(fault.kind))
				.finally(() => this.#open.splice(this.#open.indexOf(fault), 1));
			strike.catch(() => undefined);
			strikes.push(strike);
		}
		await Promise.all(strikes);
	}

	async #tryUntilStruck(kind: FaultKind): Promise<void> {
		const { over } = this.#scene;
		for (let tries = 0; tries < TRIES && !over.aborted; tries++) {
			const hasStruck = await this.#strike(kind);
			this.tried[kind]++;
			if (hasStruck) {
				this.struck[kind]++;
				return;
			}
			await sleep(TRICKLE_MS);
		}
	}

	async #strike(kind: FaultKind): Promise<boolean> {
		const { server, random } = this.#scene;
		switch (kind) {
			case "kill":
				return this.#kill();
			case "cut":
				return ((await server.cut?.()) ?? 0) > 0;
			case "restart":
				return this.#takeAway(random.pick(server.restarts));
			case "hang":
				return this.#takeAway(random.pick(server.hangs));
		}
	}

	/** Kills a process in the middle of a task, and starts another. */
	async #kill(): Promise<boolean> {
		const { children, random } = this.#scene;
		// At any moment of it.
		await sleep(random.between(0, 50));
		const victim = random.shuffle(children.alive).find(({ busy }) => busy > 0);
		if (victim === undefined) return false;
		const wasBusy = victim.busy > 0;
		await victim.kill();
		await children.start();
		return wasBusy;
	}

	/** Makes the store unreachable: each process must report it in time, and work again when the store is back. */
	async #takeAway(takeDown: Outage): Promise<boolean> {
		const { children, random } = this.#scene;
		const affected = children.alive;
		const bringBack = await takeDown();
		let rejected = 0;
		try {
			rejected = await this.#untilEach(affected, "setbacks", "did not report that its store was away");
			await sleep(random.between(200, 1_500));
		} finally {
			await bringBack();
		}
		await this.#untilEach(affected, "successes", "did not work again when its store was back");
		return rejected > 0;
	}

	/** @returns how many processes counted one more; one that is killed meanwhile proves nothing. */
	async #untilEach(affected: Children["alive"], what: "setbacks" | "successes", problem: string) {
		const { over } = this.#scene;
		const watched = affected.map((child) => ({ child, before: child[what] }));
		const hasCounted = ({ child, before }: (typeof watched)[number]): boolean => child[what] > before;
		const isSettled = (one: (typeof watched)[number]): boolean => hasCounted(one) || one.child.isGone;
		await until(() => over.aborted || watched.every(isSettled));
		for (const one of watched)
			if (!isSettled(one)) this.problems.push(`process ${one.child.worker} ${problem}`);
		return watched.filter(hasCounted).length;
	}
}

/** Does one thing after the other. */
class Queue {
	#last: Promise<unknown> = Promise.resolve();

	/** Does this when everything before it is done, or has failed. */
	add<Result>(task: () => Promise<Result>): Promise<Result> {
		const done = this.#last.then(task);
		this.#last = done.catch(() => undefined);
		return done;
	}
}
