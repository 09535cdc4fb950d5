import type { RetryClass } from "../catalogue/operation.ts";
import type { Outcome } from "../errors.ts";
import { randomFraction } from "../runtime.ts";

/** The first delay is drawn from 0 to this, the next one from 0 to twice as much. */
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;

const RETRIED_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/** From what is certainly harmless to repeat, to what certainly is not. */
const OUTCOMES: readonly Outcome[] = ["not_sent", "rejected", "unknown", "accepted"];

/** The fate of a call after a further attempt: the one that says most about a message being out. */
export function combineOutcomes(before: Outcome, attempt: Outcome): Outcome {
	return OUTCOMES.indexOf(attempt) > OUTCOMES.indexOf(before) ? attempt : before;
}

/**
 * Whether an attempt that ended like this may be repeated: never after a 2xx, whatever its body looks like.
 * @param status - that of the answer, where one has begun, also if it broke off.
 * @param outcome - that of the attempt alone.
 */
export function isRetryable(status: number | undefined, outcome: Outcome, retryClass: RetryClass): boolean {
	// By what may be repeated rather than by what may not, so that nothing unforeseen is.
	const isRepeatable = retryClass === "safe" || retryClass === "same";
	if (status === undefined) return outcome === "not_sent" || isRepeatable;
	return status === 429 || (isRepeatable && RETRIED_STATUSES.has(status));
}

/** Exponential back-off with full jitter; what the gateway asks for wins. */
export function retryDelayMs(retry: number, retryAfterMs: number | undefined): number {
	return retryAfterMs ?? randomFraction() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (retry - 1));
}
