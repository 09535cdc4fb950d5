import { utf8 } from "../signing/bytes.ts";
import { createHmacKey, type HmacKey } from "../signing/hash.ts";
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
 * The event under the id that its delivery came with first, since the signature does not cover the id: what comes
 * again under another one is the same event.
 */
export async function identifyEvent(
	event: WebhookEvent,
	{ scope, body }: { scope: string; body: RawBody },
	store: Required<EventStore>,
	{ bindSignature, toleranceSeconds }: ResolvedHandlerOptions,
): Promise<WebhookEvent> {
	if (!bindSignature) return event;
	// A delivery may be as old as the tolerance allows, or as new; and the last second counts in full.
	const ttlMs = (2 * toleranceSeconds + 1) * 1000;
	const eventId = await store.bind(`${scope}:${digestDelivery(event.timestamp, body)}`, event.eventId, ttlMs);
	if (!isEventId(eventId)) throw new Error("the store's bind resolved to something that is no event id");
	return eventId === event.eventId ? event : { ...event, eventId };
}

let digestKey: HmacKey | undefined;

/**
 * A digest of what is signed. It has nothing of the secret or of the signature, of which a rotation has several. The key
 * is no secret: an HMAC takes its message in parts, without a copy.
 */
function digestDelivery(timestamp: number, body: RawBody): string {
	digestKey ??= createHmacKey(utf8("delivery"));
	return digestKey.signHex(`${timestamp}.`, body instanceof ArrayBuffer ? new Uint8Array(body) : body);
}
