import { sha256Hex } from "../signing/hash.ts";
import { StoreError } from "../stores/store-error.ts";
import type { EventRunner } from "./event-runner.ts";
import type { WebhookEvent } from "./events.ts";
import type { RawBody } from "./read-body.ts";
import { isEventId, validityMs, validUntil } from "./verify-signature.ts";

/**
 * Binds a delivery to the first event id that comes with it, since the signature does not cover the id. The delivery is
 * identified by what was signed, not by its signature: during a rotation it has several.
 * @returns the event under the id that is bound: a copy of it under another id is the same event.
 */
export async function bindDelivery(
	{
		event,
		scope,
		body,
		boundForMs,
	}: { event: WebhookEvent; scope: string; body: RawBody; boundForMs: number },
	{ bind }: Pick<EventRunner, "bind">,
): Promise<WebhookEvent> {
	const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
	const signedAt = identifiesItself(event) ? "any" : event.timestamp;
	const key = `${scope}:${signedAt}.${sha256Hex(bytes)}`;
	const eventId = await bind(key, event.eventId, boundForMs);
	if (eventId === event.eventId) return event;
	if (typeof eventId !== "string" || !isEventId(eventId)) {
		throw new StoreError(
			"the store's bind must resolve to the bound event id: 1 to 256 visible ASCII characters without a comma",
		);
	}
	return { ...event, eventId };
}

/**
 * How long a delivery that has just arrived is bound: while a copy of it can be accepted. A message that identifies itself
 * may be signed again later, so it is bound for as long as any delivery can be accepted from now on.
 */
export function bindingMs(event: WebhookEvent, toleranceSeconds: number, now: number): number {
	if (identifiesItself(event)) return validityMs(toleranceSeconds);
	// The clock may have passed the last valid second since the check, and no store keeps anything for no time.
	return Math.max(1, validUntil(event.timestamp, toleranceSeconds) - now);
}

/**
 * Whether equal bytes mean the same event, also if they were signed at another time: a gateway may sign each retry again
 * and give it a new id (section 6.1 does not show it). An inbound message has its own id. A reaction that is removed and
 * added again, or a status that comes back, may have equal bytes as well, and must not be lost.
 */
function identifiesItself({ kind, data }: WebhookEvent): boolean {
	return kind === "inbound_message" && typeof data["messageId"] === "string";
}
