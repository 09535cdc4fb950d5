import { type Clock, monotonicNow } from "../runtime.ts";
import { type LeaseTime, startLease } from "../store-calls/lease-time.ts";

/** The reason when a handler's signal fires. */
export class LeaseEndedError extends Error {
	override readonly name = "LeaseEndedError";
	/** Why the signal fired. `"lost"`: another worker may run. `"time"`: `maxHandlerMs` is over. */
	readonly reason: "lost" | "time";

	constructor(reason: "lost" | "time") {
		super(
			reason === "lost"
				? "the lease was lost: another worker may run"
				: "the handler ran longer than maxHandlerMs",
		);
		this.reason = reason;
	}
}

/** The store has not prolonged a lease in time. */
export class LateHeartbeatError extends Error {
	override readonly name = "LateHeartbeatError";

	constructor() {
		super("the store hasn't prolonged the lease in time");
	}
}

export interface LeaseOptions {
	readonly clock: Clock;
	readonly leaseMs: number;
	readonly maxHandlerMs: number;
	/** The longest that a call of the store may take. */
	readonly storeTimeoutMs: number;
	/** From when the lease was requested. */
	readonly held: LeaseTime;
	/** When the handler was started: it may have run for a while before it returned a promise. */
	readonly startedAt: number;
	/** What the handler watches: it fires when the lease is lost or the handler's time is over. */
	readonly signal: AbortSignal;
	readonly abort: (error: LeaseEndedError) => void;
	/** Prolongs the lease in the store; `false` if it is another worker's. */
	readonly extend: () => Promise<boolean>;
	/**
	 * Called once if the store does not prolong the lease in time, while it still holds.
	 * @param error - why not, or `undefined` if there is no response yet.
	 */
	readonly onLate: (leftMs: number, error: unknown) => void;
}

/**
 * Three beats fall within a lease: two of them in a row may fail. A beat that takes longer than its part of the lease is
 * followed by the next one at once.
 */
const BEATS_PER_LEASE = 4;

/** Stores count in whole milliseconds, and so may a lease end that much sooner than it was asked for. */
const STORE_TICK_MS = 1;

/** Begins to measure a lease that is about to be requested. */
export function measureLease({ clock, leaseMs }: Pick<LeaseOptions, "clock" | "leaseMs">): LeaseTime {
	return startLease(clock, leaseMs - STORE_TICK_MS);
}

/** How often the clocks are compared: a timer that waits for a beat stands still while the machine sleeps. */
const COMPARE_MS = 1_000;

/** The pauses before a store that failed is asked again, if the clocks differ: after a sleep a client's connections are dead. */
const RETRY_PAUSES_MS = [100, 400];

/** Keeps a lease alive while a handler runs, and aborts the handler's signal when it is over. */
export class Lease {
	readonly #options: LeaseOptions;
	/** Resolves to the signal's reason once the lease no longer protects the event. */
	readonly over: Promise<LeaseEndedError>;
	#markOver: (error: LeaseEndedError) => void = () => undefined;
	/** From the last request to which the store agreed. */
	#held: LeaseTime;
	#cancelBeat: () => void = () => undefined;
	#cancelLimit: () => void;
	#cancelEnd: () => void = () => undefined;
	#isEnded = false;
	#isLate = false;
	#pauses = [...RETRY_PAUSES_MS];

	constructor(options: LeaseOptions) {
		const { clock, startedAt, held, maxHandlerMs } = options;
		this.#options = options;
		this.over = new Promise((resolve) => {
			this.#markOver = resolve;
		});
		this.#held = held;
		this.#watch(held);
		const usedMs = monotonicNow(clock) - startedAt;
		this.#cancelLimit = clock.setTimer(() => this.#lapse("time"), maxHandlerMs - usedMs);
	}

	/** Stops the heartbeat and all timers. */
	end(): void {
		this.#isEnded = true;
		this.#cancelBeat();
		this.#cancelLimit();
		this.#cancelEnd();
	}

	/** What is left of the lease. One that is over by the wall clock alone may hold: the store is asked. */
	get #leftMs(): number {
		const { leftMs, leftAwakeMs } = this.#held();
		return leftMs > 0 ? leftMs : leftAwakeMs;
	}

	/** Fires the signal at the lease's end, even if an extension hangs. */
	#armEnd(): void {
		this.#cancelEnd();
		this.#cancelEnd = this.#options.clock.setTimer(() => this.#lapse("lost"), this.#leftMs);
	}

	/**
	 * Schedules the beat after the last one, from when that began: a slow call takes nothing from the lease. It comes at once
	 * when the machine slept, or its clock was set.
	 */
	#watch(last: LeaseTime): void {
		const { clock, leaseMs } = this.#options;
		this.#armEnd();
		const dueMs = leaseMs / BEATS_PER_LEASE - last().awakeMs;
		const compare = (): void => {
			if (dueMs > COMPARE_MS && this.#held().isCertain) this.#watch(last);
			else void this.#beat();
		};
		this.#cancelBeat = clock.setTimer(compare, Math.min(dueMs, COMPARE_MS));
	}

	async #beat(): Promise<void> {
		const { clock, leaseMs, storeTimeoutMs, extend } = this.#options;
		this.#armEnd();
		const asked = measureLease(this.#options);
		// A statement of the handler's may hold what the beat waits for, such as a connection of the same pool.
		const lateMs = Math.min(leaseMs / BEATS_PER_LEASE, storeTimeoutMs);
		const cancelLate = clock.setTimer(() => this.#reportLate(undefined), lateMs);
		let isHeld: boolean | undefined;
		try {
			isHeld = await extend();
		} catch (error) {
			// The store failed, but the lease still holds: the next beat tries again.
			this.#reportLate(error);
		}
		cancelLate();
		if (this.#isEnded || this.#options.signal.aborted) return;
		if (isHeld === false) return this.#lapse("lost");
		if (isHeld === true) {
			this.#held = asked;
			this.#pauses = [...RETRY_PAUSES_MS];
		} else if (this.#held().leftMs <= 0) {
			// By one of its clocks the lease is over, and the store has not said that it holds.
			const pauseMs = asked().awakeMs < COMPARE_MS ? this.#pauses.shift() : undefined;
			if (pauseMs === undefined) return this.#lapse("lost");
			this.#cancelBeat = clock.setTimer(() => void this.#beat(), pauseMs);
			return;
		}
		this.#watch(asked);
	}

	#reportLate(error: unknown): void {
		if (this.#isEnded || this.#isLate || this.#options.signal.aborted) return;
		this.#isLate = true;
		this.#options.onLate(this.#leftMs, error);
	}

	/** Stops the heartbeat; the handler has the rest of the lease to stop as well. */
	#lapse(reason: "lost" | "time"): void {
		const { clock } = this.#options;
		this.#cancelBeat();
		this.#cancelLimit();
		this.#cancelEnd();
		const leftMs = reason === "lost" ? 0 : this.#leftMs;
		const error = new LeaseEndedError(leftMs > 0 ? reason : "lost");
		this.#cancelEnd = clock.setTimer(() => this.#markOver(error), leftMs);
		this.#options.abort(error);
	}
}
