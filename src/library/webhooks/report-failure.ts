import { describeForeignError } from "../identity.ts";
import { describeStoreFailure } from "../store-calls/store-error.ts";
import { PermanentWebhookError } from "./permanent-error.ts";
import { NOT_ACKNOWLEDGED, type Report } from "./report.ts";
import { RETRY_MS, respondWith, type WebhookResponse } from "./webhook-response.ts";

/**
 * Reports what a handler threw.
 * @param attempt - 1 for the first run for this event.
 * @returns whether it gave the event up, which is acknowledged then.
 */
export function reportHandlerFailure(report: Report, error: unknown, attempt = 1): boolean {
	const isGivenUp = error instanceof PermanentWebhookError;
	if (isGivenUp) report("event_given_up", error, "the handler gave the event up; it is acknowledged");
	else report("handler_failed", error, `${describeHandlerFailure(error, attempt)}; ${NOT_ACKNOWLEDGED}`);
	return isGivenUp;
}

/** From this attempt on, a failing event is likely one that never succeeds. */
const SUSPICIOUS_ATTEMPT = 3;

function describeHandlerFailure(error: unknown, attempt: number): string {
	const foreign = describeForeignError(error);
	if (foreign !== undefined) return `the handler failed: ${foreign}`;
	if (attempt < SUSPICIOUS_ATTEMPT) return "the handler failed";
	return `the handler failed in attempt ${attempt}: for an event that can never succeed, throw PermanentWebhookError, which acknowledges it`;
}

/** Responds if what remembers the events failed: nothing is acknowledged. */
export function storeUnavailable(report: Report, error: unknown): WebhookResponse {
	reportStoreFailure(report, error);
	return respondWith(503, "store_unavailable", RETRY_MS);
}

export function reportStoreFailure(report: Report, error: unknown): void {
	report("store_unavailable", error, `the store failed: ${describeStoreFailure(error)}; ${NOT_ACKNOWLEDGED}`);
}
