import { sha256Hex } from "../signing/hash.ts";
import type { EventStore } from "../stores/event-store.ts";
import type { WebhookEvent } from "./events.ts";
import type { ResolvedHandlerOptions } from "./handler-options.ts";
import { isEventId, type RawBody } from "./verify-signature.ts";

/** The prefix of a tenant's keys. Keys of two scopes never collide, whatever the event's id holds. */
export function scopeOf(consumer: string, tenant: string | undefined): string {
	// A consumer and an encoded tenant have no colon, and only a tenant follows an "@".
	return tenant === undefined ? consumer : `${consumer}@${encodeURIComponent(tenant)}`;
}

/**
 * Binds a delivery to the first event id that comes with it, since the signature does not cover the id, and resolves to
 * that id. The delivery is known by what was signed, not by its signature: during a rotation it has several.
 */
export function bindDelivery(
	{ event, scope, body }: { event: WebhookEvent; scope: string; body: RawBody },
	store: Required<EventStore>,
	{ toleranceSeconds }: ResolvedHandlerOptions,
): Promise<string> {
	const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
	// A timestamp may lie this far behind or ahead, and its last second counts in full.
	const ttlMs = (2 * toleranceSeconds + 1) * 1000;
	return store.bind(`${scope}:${event.timestamp}.${sha256Hex(bytes)}`, event.eventId, ttlMs);
}

/** The event under the id that its delivery is bound to: a copy of it under another one is the same event. */
export function withBoundId(event: WebhookEvent, eventId: string): WebhookEvent {
	if (eventId === event.eventId) return event;
	if (!isEventId(eventId)) throw new Error("the store's bind did not resolve to an event id");
	return { ...event, eventId };
}
