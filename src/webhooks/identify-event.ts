import { sha256Hex } from "../signing/hash.ts";
import type { EventStore } from "../stores/event-store.ts";
import type { WebhookEvent } from "./events.ts";
import type { ResolvedHandlerOptions } from "./handler-options.ts";
import { isEventId, type RawBody } from "./verify-signature.ts";

/** Whose events a key is about: of two scopes neither can be mistaken for the other, whatever the event's id holds. */
export function scopeOf(consumer: string, tenant: string | undefined): string {
	// Neither a consumer nor an encoded tenant has a colon, and only a tenant stands behind an "at".
	return tenant === undefined ? consumer : `${consumer}@${encodeURIComponent(tenant)}`;
}

/**
 * Binds a delivery to the first event id that comes with it, since the signature does not cover the id, and resolves to
 * that. What is bound is what was signed and by whom, not the signature: a rotation has several for one delivery.
 */
export function bindDelivery(
	{ event, scope, body }: { event: WebhookEvent; scope: string; body: RawBody },
	store: Required<EventStore>,
	{ toleranceSeconds }: ResolvedHandlerOptions,
): Promise<string> {
	const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
	// A delivery may be as old as the tolerance allows, or as new; and the last second counts in full.
	const ttlMs = (2 * toleranceSeconds + 1) * 1000;
	return store.bind(`${scope}:${event.timestamp}.${sha256Hex(bytes)}`, event.eventId, ttlMs);
}

/** The event under the id that its delivery is bound to: a copy of it under another one is the same event. */
export function withBoundId(event: WebhookEvent, eventId: string): WebhookEvent {
	if (eventId === event.eventId) return event;
	if (!isEventId(eventId)) throw new Error("the store's bind resolved to something that is no event id");
	return { ...event, eventId };
}
