import { ConfigurationError } from "../errors.ts";
import { type Clock, systemClock } from "../runtime.ts";

/** The longest that a store waits for its server. */
export const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * The promise's outcome, or a rejection once the time is over.
 * @param onLate - called with a value that comes later; an error that does is ignored, and so is one that it throws.
 */
export function withTimeout<Value>(
	promise: Promise<Value>,
	timeoutMs: number,
	clock: Clock = systemClock,
	onLate?: (value: Value) => void,
): Promise<Value> {
	return new Promise((resolve, reject) => {
		let isOver = false;
		const cancel = clock.setTimer(() => {
			isOver = true;
			reject(new Error(`no answer within ${timeoutMs} ms`));
		}, timeoutMs);
		// One promise less than `finally` makes, at each of a delivery's calls.
		promise.then(
			(value) => {
				cancel();
				if (!isOver) return resolve(value);
				try {
					onLate?.(value);
				} catch {
					// Nobody waits any more: it would go unhandled, and end the process.
				}
			},
			(error: unknown) => {
				cancel();
				reject(error);
			},
		);
	});
}

/** Refuses what would not bound a wait. */
export function assertDuration(name: string, value: number): void {
	if (!(Number.isFinite(value) && value > 0))
		throw new ConfigurationError(`${name} must be a number above 0`);
}
