import { StoreError } from "../store-calls/store-error.ts";
import type { Payload } from "./event-fields.ts";
import type { WebhookEvent } from "./events.ts";
import type { ResolvedHandlerOptions } from "./handler-options.ts";
import type { RawBody } from "./read-body.ts";
import type { Reporter } from "./report.ts";
import { isEventId } from "./verify-signature.ts";

/** A delivery whose signature is right. */
export interface VerifiedDelivery {
	/** It has the id that came with the delivery, until {@link nameEvent} gives it the bound one. */
	event: WebhookEvent;
	readonly received: Payload;
	readonly body: RawBody;
	readonly tenant: string | undefined;
	/** Consumer and tenant: the prefix of the event's id in the store's keys. */
	readonly scope: string;
	/** How long it is bound to its event id: as long as a copy of it can be accepted. */
	readonly boundForMs: number;
	/** The response waits for what it reports. */
	readonly reportProblem: Reporter;
}

/** The event's key in the store, under the id that it has by now. */
export function eventKeyOf({ event, scope }: VerifiedDelivery): string {
	return `${scope}:${event.eventId}`;
}

/** A key of no event: no event id has a space. */
export function readyKey({ consumer }: ResolvedHandlerOptions): string {
	return `${consumer}: ready`;
}

/**
 * Gives a delivery's event the id of the key that it is bound to: a copy of it under another id is the same event.
 * @throws StoreError if it is no key of this receiver's.
 */
export function nameEvent(delivery: VerifiedDelivery, boundKey: string | undefined): void {
	if (boundKey === undefined || boundKey === eventKeyOf(delivery)) return;
	const prefix = eventKeyOf({ ...delivery, event: { ...delivery.event, eventId: "" } });
	const eventId = boundKey.slice(prefix.length);
	if (!boundKey.startsWith(prefix) || !isEventId(eventId))
		throw new StoreError("its bound key must be one that was given with the delivery before");
	delivery.event = { ...delivery.event, eventId };
}
