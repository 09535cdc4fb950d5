import type { EventRunner } from "./event-runner.ts";
import type { WebhookEvent } from "./events.ts";
import type { ResolvedHandlerOptions } from "./handler-options.ts";
import { bindDelivery } from "./identify-event.ts";
import type { RawBody } from "./read-body.ts";
import { createReport } from "./report.ts";
import { storeUnavailable } from "./settle-event.ts";
import type { WebhookResponse } from "./webhook-response.ts";

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
 * Processes one event once: resolves its bound id, runs it, and returns the response to the sender. The event is
 * acknowledged only when its handler has finished. Never rejects.
 */
export async function processEvent(
	delivery: VerifiedDelivery,
	runner: EventRunner,
	options: ResolvedHandlerOptions,
): Promise<WebhookResponse> {
	try {
		if (options.bindDelivery) delivery.event = await bindDelivery(delivery, runner);
	} catch (error) {
		return storeUnavailable(createReport(options, delivery.event), error);
	}
	const { event, tenant, scope } = delivery;
	const report = createReport(options, event);
	return await runner.run({ event, tenant, key: `${scope}:${event.eventId}`, options, report });
}
