import type { ClaimResult, EventStore, ReleaseOptions } from "../stores/event-store.ts";
import type { HandlerEnding, ResolvedHandlerOptions } from "./handler-options.ts";
import { isPermanent } from "./permanent-error.ts";
import { NOT_ACKNOWLEDGED, type Report } from "./report.ts";
import { ACKNOWLEDGED, respondWith, type WebhookResponse } from "./webhook-response.ts";

/** An event that was claimed, and what its end is told to. */
export interface Processing {
	/** The store's key. */
	readonly key: string;
	/** Each of its calls is bounded in time. */
	readonly store: Required<EventStore>;
	readonly options: ResolvedHandlerOptions;
	readonly report: Report;
}

/**
 * The pauses between the tries to note that a handler has finished. A client that has lost its connection refuses at
 * once, and has a new one a moment later.
 */
const COMPLETE_PAUSES_MS = [100, 400, 1_600];

/** How soon the sender may try again where the store does not say. */
export const RETRY_MS = 5_000;

/** What the end of a run means for its event and for the sender. */
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
			report(ending.error, `the handler did not stop when its signal fired; ${NOT_ACKNOWLEDGED}`);
			// Until its time was over the lease was ours: nobody else can have finished the event.
			return ending.error.reason === "time"
				? respondWith(503, "handler_timed_out", RETRY_MS)
				: leaseLost(processing);
		case "failed":
			if (isPermanent(ending.error)) {
				report(ending.error, "the handler gave the event up; it is acknowledged");
				return complete(processing, token);
			}
			report(ending.error, `the handler failed; ${NOT_ACKNOWLEDGED}`);
			return release(processing, token).then((isHeld) =>
				isHeld ? respondWith(500, "handler_failed") : leaseLost(processing),
			);
	}
}

/** The work is done: where the store no longer knows of its claim, that is not the end of it. */
export async function complete(processing: Processing, token: number): Promise<WebhookResponse> {
	return (await noteDone(processing, token)) ? ACKNOWLEDGED : await completeAgain(processing);
}

/**
 * Notes that the event is done. A store that fails is tried again, and reported: the event is done all the same.
 * @returns `false` where the token is not the current one.
 */
async function noteDone({ key, store, options, report }: Processing, token: number): Promise<boolean> {
	for (let attempt = 0; ; attempt++) {
		try {
			return await store.complete(key, token, options.retentionMs);
		} catch (error) {
			const pauseMs = COMPLETE_PAUSES_MS[attempt];
			if (pauseMs === undefined) {
				report(
					error,
					"the event was processed, but the store could not note it: a repeat would be processed again",
				);
				return true;
			}
			await new Promise<void>((resolve) => {
				options.clock.setTimer(resolve, pauseMs);
			});
		}
	}
}

/**
 * The store no longer knows of the claim of a run that has finished. Whoever holds the event now decides. Where nobody
 * does, its record was lost, or another worker let it go: the run counts, so it is noted with a claim of its own.
 */
async function completeAgain(processing: Processing): Promise<WebhookResponse> {
	const { options, report } = processing;
	const claim = await tryClaim(processing, options.leaseMs);
	if (claim?.status === "acquired" && (await noteDone(processing, claim.token))) {
		report(
			new Error("the record of a finished run was lost"),
			"the store no longer knew of this run, which has finished: its record was lost, or its lease was over; it is acknowledged",
		);
		return ACKNOWLEDGED;
	}
	if (claim === undefined) return respondToLoss(claim);
	report(
		new Error("the lease was lost"),
		"another worker took the event over; a handler should stop when its signal fires",
	);
	return respondToLoss(claim);
}

/** A run that has not finished has lost its lease. This only asks who has it: what is free is let go again. */
async function leaseLost(processing: Processing): Promise<WebhookResponse> {
	const claim = await tryClaim(processing, 1);
	if (claim?.status === "acquired") await release(processing, claim.token, { unused: true });
	return respondToLoss(claim);
}

/** A claim, or `undefined` where the store fails, which is reported: the event is then not acknowledged. */
async function tryClaim(
	{ key, store, options, report }: Processing,
	leaseMs: number,
): Promise<ClaimResult | undefined> {
	try {
		return await store.claim(key, { leaseMs, retentionMs: options.retentionMs });
	} catch (error) {
		report(error, `the store did not answer; ${NOT_ACKNOWLEDGED}`);
		return undefined;
	}
}

/** Whoever holds the event now decides; only one that is done is acknowledged. */
function respondToLoss(claim: ClaimResult | undefined): WebhookResponse {
	if (claim?.status === "done") return ACKNOWLEDGED;
	return respondWith(503, "lease_lost", claim?.status === "in_flight" ? claim.retryAfterMs : RETRY_MS);
}

/**
 * A failed release must not hide why it was tried: the lease ends by itself.
 * @returns `false` where the lease was lost to another worker.
 */
export async function release(
	{ key, store, report }: Processing,
	token: number,
	options?: ReleaseOptions,
): Promise<boolean> {
	try {
		return await store.release(key, token, options);
	} catch (error) {
		report(error, "the store could not let the event go; another delivery runs it when the lease is over");
		return true;
	}
}
