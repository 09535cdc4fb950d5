import { sleep } from "../runtime.ts";
import type { ClaimResult, EventStore, ReleaseOptions } from "../stores/event-store.ts";
import { describeStoreFailure } from "../stores/store-error.ts";
import type { Job } from "./event-runner.ts";
import type { HandlerEnding } from "./handler-options.ts";
import { isPermanent } from "./permanent-error.ts";
import { NOT_ACKNOWLEDGED, type Report } from "./report.ts";
import { ACKNOWLEDGED, respondWith, type WebhookResponse } from "./webhook-response.ts";

/** An event that was claimed, and what is needed to settle it. */
export interface Processing extends Job {
	/** Each of its calls is bounded in time. */
	readonly store: Required<EventStore>;
	/** 1 for the first run for this event. */
	readonly attempt: number;
}

/**
 * The pauses between the attempts to mark an event as done. A client that has lost its connection fails at once, and
 * has a new one a moment later.
 */
const COMPLETE_PAUSES_MS = [100, 400, 1_600];

/** When the sender may try again if the store gives no time. */
export const RETRY_MS = 5_000;

/** Responds if what remembers the events failed: nothing is acknowledged. */
export function storeUnavailable(report: Report, error: unknown): WebhookResponse {
	reportStoreFailure(report, error);
	return respondWith(503, "store_unavailable", RETRY_MS);
}

function reportStoreFailure(report: Report, error: unknown): void {
	report("store_unavailable", error, `the store failed: ${describeStoreFailure(error)}; ${NOT_ACKNOWLEDGED}`);
}

/** Settles the event after a run, and returns the response to the sender. */
export function conclude(
	processing: Processing,
	token: number,
	ending: HandlerEnding,
): WebhookResponse | Promise<WebhookResponse> {
	const { report } = processing;
	switch (ending.kind) {
		case "finished":
			return complete(processing, token);
		case "over":
			report(
				ending.error.reason === "time" ? "handler_timed_out" : "lease_lost",
				ending.error,
				`the handler did not stop when its signal fired; ${NOT_ACKNOWLEDGED}`,
			);
			// The handler had the lease until its time was over: nobody else can have finished the event.
			return ending.error.reason === "time"
				? respondWith(503, "handler_timed_out", RETRY_MS)
				: leaseLost(processing);
		case "failed":
			if (isPermanent(ending.error)) {
				report("event_given_up", ending.error, "the handler gave the event up; it is acknowledged");
				return complete(processing, token);
			}
			report(
				"handler_failed",
				ending.error,
				`${describeHandlerFailure(processing.attempt)}; ${NOT_ACKNOWLEDGED}`,
			);
			return release(processing, token).then((isHeld) =>
				isHeld ? respondWith(500, "handler_failed") : leaseLost(processing),
			);
	}
}

/** From this attempt on, a failing event is likely one that never succeeds. */
const SUSPICIOUS_ATTEMPT = 3;

function describeHandlerFailure(attempt: number): string {
	if (attempt < SUSPICIOUS_ATTEMPT) return "the handler failed";
	return `the handler failed in attempt ${attempt}: for an event that can never succeed, throw PermanentWebhookError, which acknowledges it`;
}

/**
 * Marks the event of a finished run as done. If the store has lost the run's claim and another worker holds the event,
 * that worker decides. Otherwise the record was lost or the event released: the run counts, so it gets a new claim.
 */
export async function complete(processing: Processing, token: number): Promise<WebhookResponse> {
	if (await markDone(processing, token)) return ACKNOWLEDGED;
	const { options, report } = processing;
	const claim = await tryClaim(processing, options.leaseMs);
	if (claim?.status === "acquired" && (await markDone(processing, claim.token))) {
		report(
			"record_lost",
			new Error("the record of a finished run was lost"),
			"the store no longer knew of this run, which has finished: its record was lost, or its lease was over; it is acknowledged",
		);
		return ACKNOWLEDGED;
	}
	if (claim !== undefined) {
		report(
			"lease_lost",
			new Error("the lease was lost"),
			"another worker took over the event; a handler should stop when its signal fires",
		);
	}
	return respondToLoss(claim);
}

/**
 * Marks the event as done. A store that fails is called again, then reported: the event was processed all the same.
 * @returns `false` if the token is not the current one.
 */
async function markDone({ key, store, options, report }: Processing, token: number): Promise<boolean> {
	for (let attempt = 0; ; attempt++) {
		try {
			return await store.complete(key, token, options.retentionMs);
		} catch (error) {
			const pauseMs = COMPLETE_PAUSES_MS[attempt];
			if (pauseMs === undefined) {
				report(
					"not_recorded",
					error,
					`the event was processed, but the store could not record it: ${describeStoreFailure(error)}; a repeat would be processed again`,
				);
				return true;
			}
			// The attempts may take longer than the lease: without it, a repeat would run the event again.
			void (async () => store.extend(key, token, options.leaseMs))().catch(() => undefined);
			await sleep(pauseMs, options.clock);
		}
	}
}

/** Responds for a run that lost its lease before it finished. The claim only shows who holds the event now. */
async function leaseLost(processing: Processing): Promise<WebhookResponse> {
	const claim = await tryClaim(processing, 1);
	if (claim?.status === "acquired") await release(processing, claim.token, { unused: true });
	return respondToLoss(claim);
}

/** A claim, or `undefined` if the store fails, which is reported: the event is then not acknowledged. */
async function tryClaim(
	{ key, store, options, report }: Processing,
	leaseMs: number,
): Promise<ClaimResult | undefined> {
	try {
		return await store.claim(key, { leaseMs, retentionMs: options.retentionMs });
	} catch (error) {
		reportStoreFailure(report, error);
		return undefined;
	}
}

/** Acknowledges only an event that another worker has finished. */
function respondToLoss(claim: ClaimResult | undefined): WebhookResponse {
	if (claim?.status === "done") return ACKNOWLEDGED;
	return respondWith(503, "lease_lost", claim?.status === "in_flight" ? claim.retryAfterMs : RETRY_MS);
}

/**
 * Releases the event. A failure is only reported: the lease ends by itself.
 * @returns `false` if the lease was lost to another worker.
 */
async function release(
	{ key, store, report }: Processing,
	token: number,
	options?: ReleaseOptions,
): Promise<boolean> {
	try {
		return await store.release(key, token, options);
	} catch (error) {
		report(
			"not_released",
			error,
			`the store could not release the event: ${describeStoreFailure(error)}; another delivery would run it when the lease is over`,
		);
		return true;
	}
}
