import { ConfigurationError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import { untilAborted } from "./until-aborted.ts";

/** The reason with which a {@link Deadline} aborts when its time is over. */
export const CALL_TIMED_OUT = new Error("timeoutMs is over");

/** The time that one call has, and the caller's own wish to end it earlier. */
export class Deadline {
	readonly #clock: Clock;
	readonly #controller = new AbortController();
	readonly #endsAt: number;
	readonly #cancelTimer: () => void;
	readonly #callerSignal: AbortSignal | undefined;
	readonly #abort = (): void => this.#controller.abort(this.#callerSignal?.reason);

	constructor(clock: Clock, timeoutMs: number, callerSignal: AbortSignal | undefined) {
		if (callerSignal !== undefined && typeof callerSignal?.addEventListener !== "function") {
			throw new ConfigurationError("signal must be an AbortSignal");
		}
		this.#clock = clock;
		this.#endsAt = clock.now() + timeoutMs;
		this.#cancelTimer = clock.setTimer(() => this.#controller.abort(CALL_TIMED_OUT), timeoutMs);
		this.#callerSignal = callerSignal;
		callerSignal?.addEventListener("abort", this.#abort, { once: true });
		if (callerSignal?.aborted) this.#abort();
	}

	/** Aborts with {@link CALL_TIMED_OUT}, or with the reason of the caller's own signal. */
	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** How much time is left, in milliseconds. */
	remainingMs(): number {
		return this.#endsAt - this.#clock.now();
	}

	/** The promise's outcome, or a rejection with the signal's reason. */
	limit<Value>(promise: Promise<Value>): Promise<Value> {
		return untilAborted(promise, this.signal);
	}

	/** Waits, or rejects with the signal's reason. */
	async sleep(delayMs: number): Promise<void> {
		let cancel = (): void => undefined;
		const timer = new Promise<void>((resolve) => {
			cancel = this.#clock.setTimer(resolve, delayMs);
		});
		try {
			await this.limit(timer);
		} finally {
			cancel();
		}
	}

	/** Lets go of the timer and of the caller's signal. */
	end(): void {
		this.#cancelTimer();
		this.#callerSignal?.removeEventListener("abort", this.#abort);
	}
}
