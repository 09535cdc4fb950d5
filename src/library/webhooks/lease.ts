import { type Clock, monotonicNow } from "../runtime.ts";

/** Why a handler's signal fires. */
export class LeaseEndedError extends Error {
	override readonly name = "LeaseEndedError";
	/** `"lost"`: another worker may run; `"time"`: `maxHandlerMs` is over. */
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
		super("the store has not prolonged the lease in time");
	}
}

export interface LeaseOptions {
	readonly clock: Clock;
	readonly leaseMs: number;
	readonly maxHandlerMs: number;
	/** The longest that a call of the store may take. */
	readonly storeTimeoutMs: number;
	/** When the lease was requested. */
	readonly heldSince: number;
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

/** Until when a lease certainly holds, from when it was requested. */
export function leaseEnd(requestedAt: number, leaseMs: number): number {
	return requestedAt + leaseMs - STORE_TICK_MS;
}

/** Keeps a lease alive while a handler runs, and aborts the handler's signal when it is over. */
export class Lease {
	readonly #options: LeaseOptions;
	/** Resolves to the signal's reason once the lease no longer protects the event. */
	readonly over: Promise<LeaseEndedError>;
	#markOver: (error: LeaseEndedError) => void = () => undefined;
	#endsAt = 0;
	#cancelBeat: () => void;
	#cancelLimit: () => void;
	#cancelEnd: () => void = () => undefined;
	#isEnded = false;
	#isLate = false;

	constructor(options: LeaseOptions) {
		const { clock, startedAt, heldSince, leaseMs, maxHandlerMs } = options;
		this.#options = options;
		this.over = new Promise((resolve) => {
			this.#markOver = resolve;
		});
		this.#holdUntil(leaseEnd(heldSince, leaseMs));
		this.#cancelBeat = this.#scheduleBeat(heldSince);
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

	/** Fires the signal at the lease's end, even if an extension hangs. */
	#holdUntil(endsAt: number): void {
		const { clock } = this.#options;
		this.#endsAt = endsAt;
		this.#cancelEnd();
		this.#cancelEnd = clock.setTimer(() => this.#lapse("lost"), endsAt - monotonicNow(clock));
	}

	/** Schedules the beat after the one that began at this time: a slow call takes nothing from the lease. */
	#scheduleBeat(lastAt: number): () => void {
		const { clock, leaseMs } = this.#options;
		const dueAt = lastAt + leaseMs / BEATS_PER_LEASE;
		return clock.setTimer(() => void this.#beat(), dueAt - monotonicNow(clock));
	}

	async #beat(): Promise<void> {
		const { clock, leaseMs, storeTimeoutMs, extend } = this.#options;
		const startedAt = monotonicNow(clock);
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
		if (isHeld === true) this.#holdUntil(leaseEnd(startedAt, leaseMs));
		this.#cancelBeat = this.#scheduleBeat(startedAt);
	}

	#reportLate(error: unknown): void {
		if (this.#isEnded || this.#isLate || this.#options.signal.aborted) return;
		this.#isLate = true;
		this.#options.onLate(this.#endsAt - monotonicNow(this.#options.clock), error);
	}

	/** Stops the heartbeat; the handler has the rest of the lease to stop as well. */
	#lapse(reason: "lost" | "time"): void {
		const { clock } = this.#options;
		this.#cancelBeat();
		this.#cancelLimit();
		this.#cancelEnd();
		const error = new LeaseEndedError(reason);
		const leftMs = reason === "lost" ? 0 : this.#endsAt - monotonicNow(clock);
		this.#cancelEnd = clock.setTimer(() => this.#markOver(error), leftMs);
		this.#options.abort(error);
	}
}
