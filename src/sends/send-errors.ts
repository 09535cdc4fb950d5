import { SendError } from "../errors.ts";

// No message shows the key: it may contain a number.

export function inProgress(retryAfterMs: number): SendError {
	return new SendError("send_in_progress", "another worker is at this send", { retryAfterMs });
}

export function storeFailed(cause?: unknown): SendError {
	return new SendError("store_failed", "the store failed, or did not keep its contract", { cause });
}
