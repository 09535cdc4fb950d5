import type { Clock } from "../runtime.ts";

/** Why a handler's signal fires. */
export class LeaseEndedError extends Error {
	override readonly name = "LeaseEndedError";
	/** `"lost"`: another worker may run; `"time"`: `maxHandlerMs` is over. */
	readonly reason: "lost" | "time";

	constructor(reason: "lost" | "time") {
		super(
			reason === "lost" ? "the lease was lost to another worker" : "the handler ran longer than maxHandlerMs",
		);
		this.reason = reason;
	}
}

/** How a lease is kept. */
export interface LeaseOptions {
	readonly clock: Clock;
	readonly leaseMs: number;
	readonly maxHandlerMs: number;
	/** When the lease was asked for: in the store it lasts at least `leaseMs` from then on. */
	readonly heldSince: number;
	/** Prolongs the lease in the store; `false` where it is another worker's. */
	readonly extend: () => Promise<boolean>;
}

/** Three beats fall within a lease, so that two of them in a row may fail. */
const BEATS_PER_LEASE = 4;

/**
 * Keeps a lease alive while a handler runs, and tells the handler when it is over. Nothing happens before {@link begin}:
 * a handler that is done at once needs no timers, which cost as much as a call of the store in memory.
 */
export class Lease {
	readonly #options: LeaseOptions;
	readonly #controller = new AbortController();
	readonly #startedAt: number;
	#markOver: (error: LeaseEndedError) => void = () => undefined;
	#endsAt = 0;
	#cancelBeat: () => void = () => undefined;
	#cancelLimit: () => void = () => undefined;
	#cancelEnd: () => void = () => undefined;
	#isEnded = false;

	constructor(options: LeaseOptions) {
		this.#options = options;
		this.#startedAt = options.clock.now();
	}

	/** Fires when the lease is lost or the handler's time is over. */
	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/**
	 * Starts the heartbeat, and all times that count: what the handler has used up of them before is gone.
	 * @returns a promise that resolves, with what the signal fired with, when nobody may count on the lease any more.
	 */
	begin(): Promise<LeaseEndedError> {
		const { clock, leaseMs, maxHandlerMs, heldSince } = this.#options;
		const usedMs = clock.now() - this.#startedAt;
		this.#holdUntil(heldSince + leaseMs);
		this.#cancelBeat = this.#scheduleBeat(usedMs);
		this.#cancelLimit = clock.setTimer(() => this.#lapse("time"), maxHandlerMs - usedMs);
		return new Promise((resolve) => {
			this.#markOver = resolve;
		});
	}

	/** Stops the heartbeat and all timers. */
	end(): void {
		this.#isEnded = true;
		this.#cancelBeat();
		this.#cancelLimit();
		this.#cancelEnd();
	}

	/** The signal fires at the lease's end by itself: an extension that hangs must not delay it. */
	#holdUntil(endsAt: number): void {
		const { clock } = this.#options;
		this.#endsAt = endsAt;
		this.#cancelEnd();
		this.#cancelEnd = clock.setTimer(() => this.#lapse("lost"), endsAt - clock.now());
	}

	#scheduleBeat(usedMs = 0): () => void {
		const { clock, leaseMs } = this.#options;
		return clock.setTimer(() => void this.#beat(), leaseMs / BEATS_PER_LEASE - usedMs);
	}

	async #beat(): Promise<void> {
		const { clock, leaseMs, extend } = this.#options;
		const startedAt = clock.now();
		let isHeld: boolean | undefined;
		try {
			isHeld = await extend();
		} catch {
			// The store is out of reach: the lease holds until its end, so there is time to try again.
		}
		if (this.#isEnded || this.signal.aborted) return;
		if (isHeld === false) return this.#lapse("lost");
		if (isHeld === true) this.#holdUntil(startedAt + leaseMs);
		this.#cancelBeat = this.#scheduleBeat();
	}

	/** The heartbeat stops; the lease that is left is the time that a handler has to stop as well. */
	#lapse(reason: "lost" | "time"): void {
		const { clock } = this.#options;
		this.#cancelBeat();
		this.#cancelLimit();
		this.#cancelEnd();
		const error = new LeaseEndedError(reason);
		const leftMs = reason === "lost" ? 0 : this.#endsAt - clock.now();
		this.#cancelEnd = clock.setTimer(() => this.#markOver(error), leftMs);
		this.#controller.abort(error);
	}
}
