import { SendError } from "../errors.ts";

// No message shows the key: it may contain a number.

export function inProgress(retryAfterMs: number): SendError {
	return new SendError(
		"send_in_progress",
		"another worker holds the lease of this send: try again after retryAfterMs",
		{ retryAfterMs },
	);
}

/** @param problem - the method, and what it did or must do. */
export function storeFailed(problem: string, cause?: Error): SendError {
	return new SendError("store_failed", `the store's ${problem}`, cause && { cause });
}
