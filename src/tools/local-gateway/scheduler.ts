import type { AdjustableClock } from "./adjustable-clock.ts";
import { dueTimers, nextTask } from "./next-task.ts";
import { type Timer, TimerQueue } from "./timer-queue.ts";

/** The pending work of a gateway. A test can wait for it, and a reset can cancel it. */
export class Scheduler {
	readonly #clock: AdjustableClock;
	readonly #timers = new TimerQueue();
	readonly #cancels = new Map<Timer, () => void>();
	readonly #inFlight = new Set<Promise<unknown>>();
	readonly #stopListeners = new Set<() => void>();
	#lastAdvance = Promise.resolve();
	#isStopped = false;

	constructor(clock: AdjustableClock) {
		this.#clock = clock;
	}

	/** How many tasks are scheduled. */
	get size(): number {
		return this.#timers.size;
	}

	get isStopped(): boolean {
		return this.#isStopped;
	}

	/**
	 * Runs a task once, `delayMs` milliseconds from now.
	 * @returns a function that cancels it.
	 */
	after(delayMs: number, task: () => void): () => void {
		if (this.#isStopped) return () => {};
		const timer: Timer = { dueAt: this.#clock.now() + delayMs, callback: task };
		const forget = (): void => {
			this.#timers.remove(timer);
			this.#cancels.delete(timer);
		};
		const cancelTimer = this.#clock.setTimer(() => {
			forget();
			task();
		}, delayMs);
		const cancel = (): void => {
			forget();
			cancelTimer();
		};
		this.#timers.add(timer);
		this.#cancels.set(timer, cancel);
		return cancel;
	}

	/**
	 * Calls a listener when everything is cancelled.
	 * @returns a function that forgets the listener.
	 */
	onStop(listener: () => void): () => void {
		this.#stopListeners.add(listener);
		return () => this.#stopListeners.delete(listener);
	}

	/** Counts work that waits for others, such as a delivery, as in flight until it settles. */
	async track<Result>(work: Promise<Result>): Promise<Result> {
		this.#inFlight.add(work);
		try {
			return await work;
		} finally {
			this.#inFlight.delete(work);
		}
	}

	/**
	 * Resolves when nothing is scheduled or in flight. Time moves to the next due task, but never while work is in
	 * flight: otherwise the time-out of a receiver that needs real time would be reached at once.
	 */
	async settled(): Promise<void> {
		await this.#runUntil(Number.POSITIVE_INFINITY);
	}

	/**
	 * Moves time forward by `ms` milliseconds. It waits for work in flight like {@link settled}, so an attempt that fails
	 * during the move is retried within it. Concurrent moves add up.
	 */
	async advance(ms: number): Promise<void> {
		const advanced = this.#lastAdvance.then(async () => {
			const targetMs = this.#clock.now() + ms;
			await this.#runUntil(targetMs);
			await this.#clock.advance(Math.max(0, targetMs - this.#clock.now()));
		});
		// A task that throws fails the move it ran in, not the ones after it.
		this.#lastAdvance = advanced.catch(() => {});
		await advanced;
	}

	/**
	 * Moves time to each task that is due by `targetMs`, waiting in between for work in flight. When nothing is left it lets
	 * the timers run that others have set: a receiver may send from one after its response.
	 */
	async #runUntil(targetMs: number): Promise<void> {
		let haveTimersRun = false;
		while (!this.#isStopped) {
			await nextTask();
			const next = this.#timers.first;
			if (this.#inFlight.size > 0) {
				await Promise.allSettled(this.#inFlight);
				haveTimersRun = false;
			} else if (next !== undefined && next.dueAt <= targetMs) {
				await this.#clock.advance(Math.max(0, next.dueAt - this.#clock.now()));
				haveTimersRun = false;
			} else if (haveTimersRun) return;
			else {
				await dueTimers();
				haveTimersRun = true;
			}
		}
	}

	/** Cancels everything that is scheduled or in flight, for good. */
	stop(): void {
		this.#isStopped = true;
		for (const cancel of this.#cancels.values()) cancel();
		for (const listener of this.#stopListeners) listener();
	}
}
