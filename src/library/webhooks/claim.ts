import { sleep } from "../runtime.ts";
import { describeStoreFailure } from "../store-calls/store-error.ts";
import { withTimeout } from "../store-calls/with-timeout.ts";
import type { ClaimResult, EventStore, ReleaseOptions } from "../stores/event-store.ts";
import type { Job } from "./event-runner.ts";
import type { HandlerEnding } from "./handler-options.ts";
import { NOT_ACKNOWLEDGED } from "./report.ts";
import { reportHandlerFailure, reportStoreFailure, thrownByStore } from "./report-failure.ts";
import { ACKNOWLEDGED, RETRY_MS, respondWith, type WebhookResponse } from "./webhook-response.ts";

/** An event that was claimed, and what is needed to settle it. */
export interface Processing extends Job {
	/** Each of its calls is bounded in time. */
	readonly store: EventStore;
	/** 1 for the first run for this event. */
	readonly attempt: number;
}

/**
 * The pauses between the attempts to mark an event as done. A client that has lost its connection fails at once, and
 * has a new one a moment later.
 */
const COMPLETE_PAUSES_MS = [100, 400, 1_600];

/** How long the response waits for these attempts: with a first call that hangs, eight seconds by default. */
const MAX_WAIT_MS = 3_000;

/** Settles the event after a run, and returns the response to the sender. */
export function conclude(
	processing: Processing,
	token: number,
	ending: HandlerEnding,
): WebhookResponse | Promise<WebhookResponse> {
	const { report, options } = processing;
	switch (ending.kind) {
		case "finished":
			return complete(processing, token);
		case "over":
			if (ending.error.reason === "lost") {
				report(
					"lease_lost",
					ending.error,
					`The lease was lost, and your handler may still run. Stop it when its signal aborts. ${NOT_ACKNOWLEDGED}`,
				);
				return leaseLost(processing);
			}
			report(
				"handler_timed_out",
				ending.error,
				`Your handler ran longer than maxHandlerMs, ${options.maxHandlerMs} ms, and may still run. Stop it when its signal aborts, or raise maxHandlerMs. ${NOT_ACKNOWLEDGED}`,
			);
			// The handler had the lease until its time was over: nobody else can have finished the event.
			return respondWith(503, "handler_timed_out", RETRY_MS);
		case "failed":
			if (reportHandlerFailure(report, ending.error, processing.attempt)) return complete(processing, token);
			return release(processing, token).then((isHeld) =>
				isHeld ? respondWith(500, "handler_failed") : leaseLost(processing),
			);
	}
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
			"The store no longer knew of this run, which has finished: its record was lost, or its lease was over. The event is acknowledged",
		);
		return ACKNOWLEDGED;
	}
	if (claim !== undefined) {
		report(
			"lease_lost",
			new Error("the lease was lost"),
			"Another worker took over the event while your handler ran. Stop the handler when its signal aborts",
		);
	}
	return respondToLoss(claim);
}

/**
 * Marks the event as done. A store that fails is called again, then reported: the event was processed all the same. The
 * response does not wait for every call: a sender that gave up would deliver the event again.
 * @returns `false` if the token is not the current one.
 */
async function markDone(processing: Processing, token: number): Promise<boolean> {
	const { key, store, options, report } = processing;
	try {
		return await store.complete(key, token, options.retentionMs);
	} catch (error) {
		const again = withTimeout(completeAgain(processing, token), MAX_WAIT_MS, options.clock);
		const isCurrent = await again.catch(() => undefined);
		if (isCurrent !== undefined) return isCurrent;
		report(
			"not_recorded",
			error,
			`The event was processed, but the store couldn't record it: ${describeStoreFailure(error)}. If the gateway repeats it, your handler runs again: make it safe to run twice`,
			thrownByStore(error),
		);
		return true;
	}
}

/** @returns `undefined` if the store fails each time. */
async function completeAgain(
	{ key, store, options }: Processing,
	token: number,
): Promise<boolean | undefined> {
	for (const pauseMs of COMPLETE_PAUSES_MS) {
		// The calls may take longer than the lease: without it, a repeat would run the event again.
		void (async () => store.extend(key, token, options.leaseMs))().catch(() => undefined);
		await sleep(pauseMs, options.clock);
		try {
			return await store.complete(key, token, options.retentionMs);
		} catch {
			// The first failure is reported, if all fail.
		}
	}
	return undefined;
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

/** Releases a claim whose lease was over before anything ran. */
export async function giveBack(processing: Processing, token: number): Promise<WebhookResponse> {
	processing.report(
		"lease_lost",
		new Error("the lease was over"),
		`The store's response came when the lease was over, so your handler wasn't started. ${NOT_ACKNOWLEDGED}`,
	);
	await release(processing, token, { unused: true });
	return respondWith(503, "lease_lost", RETRY_MS);
}

/**
 * Releases the event. A failure is only reported: the lease ends by itself.
 * @returns `false` if the lease was lost to another worker.
 */
export async function release(
	{ key, store, report, options: { leaseMs } }: Processing,
	token: number,
	releaseOptions?: ReleaseOptions,
): Promise<boolean> {
	try {
		return await store.release(key, token, releaseOptions);
	} catch (error) {
		report(
			"not_released",
			error,
			`The store couldn't release the event: ${describeStoreFailure(error)}. A repeat can run once its lease is over, in ${leaseMs} ms (leaseMs) at most. If this goes on, check the store's server`,
			thrownByStore(error),
		);
		return true;
	}
}
