import type { RetryClass } from "../catalogue/operation.ts";
import type { Outcome } from "../errors.ts";
import { randomFraction } from "../runtime.ts";

/** The first delay is drawn from 0 to this, the next one from 0 to twice as much. */
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;

const RETRIED_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/** From certainly harmless to certainly harmful to repeat. */
const OUTCOMES: readonly Outcome[] = ["not_sent", "rejected", "unknown", "accepted"];

/** The outcome of a call after a further attempt: the one with the greater risk of a repeated message. */
export function combineOutcomes(before: Outcome, attempt: Outcome): Outcome {
	return OUTCOMES.indexOf(attempt) > OUTCOMES.indexOf(before) ? attempt : before;
}

/**
 * Whether an attempt with this result may be retried: never after a 2xx, whatever its body contains.
 * @param status - the response's status, if there is one, even if its body broke off.
 * @param outcome - the outcome of this attempt alone.
 */
export function isRetryable(status: number | undefined, outcome: Outcome, retryClass: RetryClass): boolean {
	// A list of the classes that may be retried, so that an unknown class is not.
	const isRepeatable = retryClass === "safe" || retryClass === "idempotent";
	if (status === undefined) return outcome === "not_sent" || isRepeatable;
	return status === 429 || (isRepeatable && RETRIED_STATUSES.has(status));
}

/** Exponential back-off with full jitter; a `Retry-After` takes precedence. */
export function retryDelayMs(retry: number, retryAfterMs: number | undefined): number {
	return retryAfterMs ?? randomFraction() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (retry - 1));
}
