import type { EventStore } from "../stores/event-store.ts";
import { ACKNOWLEDGED, answerWith, type WebhookAnswer } from "./answer.ts";
import type { HandlerEnding, ResolvedHandlerOptions } from "./handler-options.ts";
import { PermanentWebhookError } from "./permanent-error.ts";
import type { Report } from "./report.ts";

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
): WebhookAnswer | Promise<WebhookAnswer> {
	const { report } = processing;
	switch (ending.kind) {
		case "finished":
			return complete(processing, token);
		case "over":
			report(ending.error, "the handler did not stop when its signal fired; the event will come again");
			// Until its time was over the lease was ours: nobody else can have finished the event.
			return ending.error.reason === "time"
				? answerWith(503, "handler_timed_out", RETRY_MS)
				: leaseLost(processing);
		case "failed":
			if (ending.error instanceof PermanentWebhookError) {
				report(ending.error, "the handler gave the event up; it is acknowledged and will not come again");
				return complete(processing, token);
			}
			report(ending.error, "the handler failed; the event is not acknowledged, so it will come again");
			return release(processing, token).then((isHeld) =>
				isHeld ? answerWith(500, "handler_failed") : leaseLost(processing),
			);
	}
}

/** The work is done: a store that cannot note it is tried again, and the event acknowledged all the same. */
export async function complete(processing: Processing, token: number): Promise<WebhookAnswer> {
	const { key, store, options, report } = processing;
	for (let attempt = 0; ; attempt++) {
		try {
			if (await store.complete(key, token, options.retentionMs)) return ACKNOWLEDGED;
			report(
				new Error("the lease was lost"),
				"another worker took the event over; a handler should stop when its signal fires",
			);
			return leaseLost(processing);
		} catch (error) {
			const pauseMs = COMPLETE_PAUSES_MS[attempt];
			if (pauseMs === undefined) {
				report(
					error,
					"the event was processed, but the store could not note it: a repeat would be processed again",
				);
				return ACKNOWLEDGED;
			}
			await new Promise<void>((resolve) => {
				options.clock.setTimer(resolve, pauseMs);
			});
		}
	}
}

/** Whoever holds the event now decides; only one that is done is acknowledged. */
async function leaseLost({ key, store, options }: Processing): Promise<WebhookAnswer> {
	try {
		// This only asks: where nobody holds the event, the claim is over at once.
		const claim = await store.claim(key, { leaseMs: 1, retentionMs: options.retentionMs });
		if (claim.status === "done") return ACKNOWLEDGED;
		if (claim.status === "in_flight") return answerWith(503, "lease_lost", claim.retryAfterMs);
	} catch {
		// The answer is the same: come again.
	}
	return answerWith(503, "lease_lost", RETRY_MS);
}

/**
 * A failed release must not hide why it was tried: the lease ends by itself.
 * @returns `false` where the lease was lost to another worker.
 */
export async function release({ key, store, report }: Processing, token: number): Promise<boolean> {
	try {
		return await store.release(key, token);
	} catch (error) {
		report(error, "the store could not let the event go; it comes again when the lease is over");
		return true;
	}
}
