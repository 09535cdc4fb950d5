import { monotonicNow } from "../runtime.ts";
import type { ClaimResult, EventStore } from "../stores/event-store.ts";
import { chooseWork } from "./choose-work.ts";
import type { WebhookEvent } from "./events.ts";
import type { ResolvedHandlerOptions } from "./handler-options.ts";
import { bindDelivery } from "./identify-event.ts";
import { createReport, NOT_ACKNOWLEDGED } from "./report.ts";
import { runWork } from "./run-work.ts";
import { complete, conclude, type Processing, RETRY_MS, release } from "./settle-event.ts";
import type { RawBody } from "./verify-signature.ts";
import { ACKNOWLEDGED_BEFORE, respondWith, type WebhookResponse } from "./webhook-response.ts";

/** A delivery whose signature is right. */
export interface VerifiedDelivery {
	/** It has the id that came with the delivery, until it is bound. */
	event: WebhookEvent;
	readonly body: RawBody;
	readonly tenant: string | undefined;
	/** Consumer and tenant: the prefix of the event's id in the store's keys. */
	readonly scope: string;
	/** How long it is bound to its event id: as long as a copy of it can be accepted. */
	readonly boundForMs: number;
}

/**
 * Processes one event once: resolves its bound id, claims it, does the work under a lease, and returns the response to
 * the sender. The event is acknowledged only when its handler has finished. Never rejects.
 * @param store - each of its calls is bounded in time.
 */
export async function processEvent(
	delivery: VerifiedDelivery,
	store: Required<EventStore>,
	options: ResolvedHandlerOptions,
): Promise<WebhookResponse> {
	const { leaseMs, retentionMs, clock } = options;
	let heldSince: number;
	let claim: ClaimResult;
	try {
		if (options.bindDelivery) delivery.event = await bindDelivery(delivery, store);
		heldSince = monotonicNow(clock);
		// A lease longer than it is kept once done, so that a store need not move its end then.
		const times = { leaseMs, retentionMs: retentionMs + leaseMs };
		claim = await store.claim(`${delivery.scope}:${delivery.event.eventId}`, times);
	} catch (error) {
		const report = createReport(options, delivery.event);
		report(error, `the store did not respond; ${NOT_ACKNOWLEDGED}`);
		return respondWith(503, "store_unavailable", RETRY_MS);
	}
	if (claim.status === "done") return ACKNOWLEDGED_BEFORE;
	if (claim.status === "in_flight") return respondWith(503, "in_flight", claim.retryAfterMs);
	const { event } = delivery;
	const { token, attempt } = claim;
	const key = `${delivery.scope}:${event.eventId}`;
	const report = createReport(options, event);
	const processing: Processing = { key, store, options, report };
	const work = chooseWork(event, options);
	if ("skip" in work) {
		if (work.problem !== undefined) report(work.problem.error, work.problem.hint);
		if (work.skip === "acknowledge") return await complete(processing, token);
		await release(processing, token, { unused: true });
		return respondWith(500, "schema_rejected");
	}
	const run = { event, tenant: delivery.tenant, attempt, token, heldSince };
	const running = runWork(processing, work.run, run);
	// A run that has ended already is not awaited.
	return await conclude(processing, token, "kind" in running ? running : await running);
}
