import { ConfigurationError } from "../errors.ts";
import { rethrowControlFlow } from "../host.ts";
import { type Clock, monotonicNow } from "../runtime.ts";

/** The reason of a {@link Deadline} that timed out. */
export const CALL_TIMED_OUT = /* @__PURE__ */ new Error("timeoutMs is over");

/** A limit for one wait, within its call's deadline. */
export interface OwnLimit {
	/** The longest that the wait may take, in milliseconds. */
	timeoutMs: number;
	/** What it rejects with after that time. */
	timedOut: Error;
	/** Stops the operation that is waited for. */
	stop: (reason: unknown) => void;
}

/**
 * The time limit of one call, combined with the caller's signal. A call waits for one thing at a time, so the pending
 * wait is rejected directly: a signal and its listeners cost more.
 */
export class Deadline {
	readonly #clock: Clock;
	readonly #endsAt: number;
	readonly #cancelTimer: () => void;
	readonly #callerSignal: AbortSignal | undefined;
	readonly #abort = (): void => this.#end(this.#callerSignal?.reason);
	#ended: { reason: unknown } | undefined;
	#stopWaiting: ((reason: unknown) => void) | undefined;

	constructor(clock: Clock, timeoutMs: number, callerSignal: AbortSignal | undefined) {
		this.#clock = clock;
		// A clock that is set must neither end a call nor prolong it.
		const now = monotonicNow(clock);
		if (!Number.isFinite(now) || !Number.isFinite(clock.now()))
			throw new ConfigurationError("clock.now must return Unix milliseconds");
		this.#endsAt = now + timeoutMs;
		this.#cancelTimer = clock.setTimer(() => this.#end(CALL_TIMED_OUT), timeoutMs);
		if (typeof this.#cancelTimer !== "function") {
			throw new ConfigurationError("clock.setTimer must return a function that cancels the timer");
		}
		this.#callerSignal = callerSignal;
		callerSignal?.addEventListener("abort", this.#abort, { once: true });
		if (callerSignal?.aborted) this.#abort();
	}

	/**
	 * Throws {@link CALL_TIMED_OUT}, or the reason of the caller's own signal, once the call must end.
	 * @param caught - an error, which is thrown again if the host must get it.
	 */
	throwIfOver(caught?: unknown): void {
		rethrowControlFlow(caught);
		if (this.#ended !== undefined) throw this.#ended.reason;
	}

	remainingMs(): number {
		return this.#endsAt - monotonicNow(this.#clock);
	}

	/** The promise's result, or a rejection with what {@link throwIfOver} throws. */
	limit<Value>(promise: Promise<Value>, own?: OwnLimit): Promise<Value> {
		return new Promise((resolve, reject) => {
			let cancelTimer = (): void => undefined;
			const settle = <Outcome>(how: (outcome: Outcome) => void, outcome: Outcome): void => {
				cancelTimer();
				// A stopped wait may settle later, while another one is pending.
				if (this.#stopWaiting === stop) this.#stopWaiting = undefined;
				how(outcome);
			};
			const stop = (reason: unknown): void => {
				settle(reject, reason);
				own?.stop(reason);
			};
			promise.then(
				(value) => settle(resolve, value),
				(error: unknown) => settle(reject, error),
			);
			if (this.#ended !== undefined) return stop(this.#ended.reason);
			this.#stopWaiting = stop;
			if (own !== undefined) cancelTimer = this.#clock.setTimer(() => stop(own.timedOut), own.timeoutMs);
		});
	}

	/** Waits, or rejects with what {@link throwIfOver} throws. */
	sleep(delayMs: number): Promise<void> {
		let cancel = (): void => undefined;
		const timer = new Promise<void>((resolve) => {
			cancel = this.#clock.setTimer(resolve, delayMs);
		});
		return this.limit(timer).finally(cancel);
	}

	/** Releases the timer and the caller's signal. */
	release(): void {
		this.#cancelTimer();
		this.#callerSignal?.removeEventListener("abort", this.#abort);
	}

	#end(reason: unknown): void {
		this.#ended ??= { reason };
		this.#stopWaiting?.(reason);
	}
}
