import type { WebhookEvent } from "./events.ts";
import type { ResolvedHandlerOptions } from "./handler-options.ts";
import type { RawBody } from "./read-body.ts";
import { createReport, type Report } from "./report.ts";
import { eventKeyOf, type VerifiedDelivery } from "./verified-delivery.ts";
import type { WebhookResponse } from "./webhook-response.ts";

/** A way of running each event once: under the claim of a store, or in a transaction of an inbox. */
export interface EventRunner {
	/**
	 * Finds the delivery's bound id, runs the event's handler unless that is done or under way, and returns the response to
	 * the sender: the event is acknowledged only when its handler has finished. Never rejects.
	 */
	run(delivery: VerifiedDelivery): Promise<WebhookResponse>;
	/** Does what a delivery does, for no event. Rejects with the store's error. */
	ready(): Promise<void>;
}

/** A verified event under its bound id, to be run once. */
export interface Job {
	readonly event: WebhookEvent;
	readonly body: RawBody;
	readonly tenant: string | undefined;
	/** Identifies the event: consumer, tenant and event id. */
	readonly key: string;
	readonly options: ResolvedHandlerOptions;
	readonly report: Report;
}

/** The event of a delivery, under the id that it has by now. */
export function toJob(delivery: VerifiedDelivery, options: ResolvedHandlerOptions): Job {
	const { event, body, tenant } = delivery;
	return { event, body, tenant, key: eventKeyOf(delivery), options, report: createReport(delivery, event) };
}
