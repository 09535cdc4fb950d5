import { ConfigurationError } from "../../../library/errors.ts";
import type { Clock } from "../../../library/runtime.ts";

/** The reason of a {@link TimeLimit} that is over. */
export const OUT_OF_TIME = /* @__PURE__ */ new Error("the diagnosis's timeoutMs is over");

/** The time that a diagnosis may take, and its caller's signal, as one signal. */
export class TimeLimit {
	readonly #controller = new AbortController();
	readonly #clock: Clock;
	readonly #endsAt: number;
	readonly #cancelTimer: () => void;
	readonly #callerSignal: AbortSignal | undefined;
	readonly #abort = (): void => this.#controller.abort(this.#callerSignal?.reason);

	constructor(clock: Clock, timeoutMs: number, callerSignal: AbortSignal | undefined) {
		this.#clock = clock;
		this.#endsAt = this.#now() + timeoutMs;
		this.#cancelTimer = clock.setTimer(() => this.#controller.abort(OUT_OF_TIME), timeoutMs);
		if (typeof this.#cancelTimer !== "function")
			throw new ConfigurationError("clock.setTimer must return a function that cancels the timer");
		this.#callerSignal = callerSignal;
		callerSignal?.addEventListener("abort", this.#abort, { once: true });
		if (callerSignal?.aborted) this.#abort();
	}

	/** Aborts with {@link OUT_OF_TIME}, or the reason of the caller's signal. */
	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	remainingMs(): number {
		return this.#endsAt - this.#now();
	}

	/** The promise's result, or a rejection with the signal's reason. */
	limit<Value>(promise: Promise<Value>): Promise<Value> {
		const { signal } = this;
		return new Promise((resolve, reject) => {
			const abort = (): void => reject(signal.reason);
			signal.addEventListener("abort", abort, { once: true });
			if (signal.aborted) abort();
			promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
		});
	}

	/** Waits, or rejects with the signal's reason. */
	async sleep(delayMs: number): Promise<void> {
		let cancel = (): void => undefined;
		const timer = new Promise<void>((resolve) => {
			cancel = this.#clock.setTimer(resolve, delayMs);
		});
		await this.limit(timer).finally(cancel);
	}

	#now(): number {
		return this.#clock.monotonicNow?.() ?? this.#clock.now();
	}

	/** Releases the timer and the caller's signal. */
	release(): void {
		this.#cancelTimer();
		this.#callerSignal?.removeEventListener("abort", this.#abort);
	}
}
