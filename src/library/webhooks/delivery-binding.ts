import { sha256Hex } from "../signing/hash.ts";
import type { DeliveryBinding } from "../stores/event-store.ts";
import type { ReadEvent } from "./events.ts";
import type { VerifiedDelivery } from "./verified-delivery.ts";

/**
 * What binds a delivery to the first event id that comes with it, since the signature does not cover the id. The delivery
 * is identified by what was signed, not by its signature: during a rotation it has several.
 */
export function bindingOf(delivery: VerifiedDelivery): DeliveryBinding {
	const { event, scope, body, boundForMs } = delivery;
	const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
	const signedAt = identifiesItself(delivery) ? "any" : event.timestamp;
	return { digest: `${scope}:${signedAt}.${sha256Hex(bytes)}`, ttlMs: boundForMs };
}

/**
 * Whether equal bytes mean the same event, also if they were signed at another time: a gateway may sign each retry again
 * and give it a new id (section 6.1 does not show it). An inbound message has its own id, if the gateway wrote it: one
 * that a decoder made up may be the same for two equal texts. A reaction that is removed and added again, or a status
 * that comes back, may have equal bytes as well, and must not be lost.
 */
function identifiesItself({ event, received }: ReadEvent): boolean {
	return event.kind === "inbound_message" && received["messageId"] === event.data.messageId;
}
