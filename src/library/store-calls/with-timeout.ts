import { type Clock, systemClock } from "../runtime.ts";
import { StoreError } from "./store-error.ts";

/** How long a call of a store may take by default. */
export const STORE_TIMEOUT_MS = 5_000;

/**
 * The promise's outcome, or a rejection once the time is over.
 * @param onLate - called with a value that comes later. A late error is ignored, and so is one that `onLate` throws.
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
			reject(
				new StoreError(
					`no response within storeTimeoutMs, ${timeoutMs} ms. Check the store's server, and that its Pool has free connections`,
				),
			);
		}, timeoutMs);
		// `finally` would make one more promise for each call of a delivery.
		promise.then(
			(value) => {
				cancel();
				if (!isOver) return resolve(value);
				try {
					onLate?.(value);
				} catch {
					// Nobody awaits it any more: it would be an unhandled rejection, and end the process.
				}
			},
			(error: unknown) => {
				cancel();
				reject(error);
			},
		);
	});
}
