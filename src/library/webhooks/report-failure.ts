import { describeForeignError } from "../identity.ts";
import { describeStoreFailure, StoreError } from "../store-calls/store-error.ts";
import { PermanentWebhookError } from "./permanent-error.ts";
import { causesOf, NOT_ACKNOWLEDGED, type Report } from "./report.ts";
import { RETRY_MS, respondWith, type WebhookResponse } from "./webhook-response.ts";

/**
 * Reports what a handler threw.
 * @param attempt - 1 for the first run for this event.
 * @returns whether it gave the event up, which is acknowledged then.
 */
export function reportHandlerFailure(report: Report, error: unknown, attempt = 1): boolean {
	const isGivenUp = error instanceof PermanentWebhookError;
	const [problem, hint] = isGivenUp
		? (["event_given_up", "Your handler gave up on the event, so it is acknowledged"] as const)
		: (["handler_failed", `${describeHandlerFailure(error, attempt)}. ${NOT_ACKNOWLEDGED}`] as const);
	report(problem, error, hint, [error]);
	return isGivenUp;
}

/** From this attempt on, a failing event is likely one that never succeeds. */
const SUSPICIOUS_ATTEMPT = 3;

function describeHandlerFailure(error: unknown, attempt: number): string {
	const foreign = describeForeignError(error);
	if (foreign !== undefined) return `Your handler threw: ${foreign}`;
	if (attempt < SUSPICIOUS_ATTEMPT) return "Your handler threw";
	return `Your handler threw in attempt ${attempt}. If this event can never succeed, throw PermanentWebhookError, which acknowledges it`;
}

/** Responds if what remembers the events failed: nothing is acknowledged. */
export function storeUnavailable(report: Report, error: unknown): WebhookResponse {
	reportStoreFailure(report, error);
	return respondWith(503, "store_unavailable", RETRY_MS);
}

export function reportStoreFailure(report: Report, error: unknown): void {
	const hint = `The store failed: ${describeStoreFailure(error)}. ${NOT_ACKNOWLEDGED}`;
	report("store_unavailable", error, hint, thrownByStore(error));
}

/** What a hint with {@link describeStoreFailure} leaves out. */
export function thrownByStore(error: unknown): readonly unknown[] {
	if (error === undefined) return [];
	return error instanceof StoreError ? causesOf(error) : [error];
}
