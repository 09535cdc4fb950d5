import { sha256Hex } from "../signing/hash.ts";
import type { EventRunner } from "./event-runner.ts";
import type { WebhookEvent } from "./events.ts";
import { isEventId, type RawBody, validityMs } from "./verify-signature.ts";

/**
 * Binds a delivery to the first event id that comes with it, since the signature does not cover the id. The delivery is
 * identified by what was signed, not by its signature: during a rotation it has several.
 * @returns the event under the id that is bound: a copy of it under another id is the same event.
 */
export async function bindDelivery(
	{ event, scope, body }: { event: WebhookEvent; scope: string; body: RawBody },
	{ bind }: Pick<EventRunner, "bind">,
	toleranceSeconds: number,
): Promise<WebhookEvent> {
	const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
	const key = `${scope}:${event.timestamp}.${sha256Hex(bytes)}`;
	const eventId = await bind(key, event.eventId, validityMs(toleranceSeconds));
	if (eventId === event.eventId) return event;
	if (!isEventId(eventId)) throw new Error("the store's bind did not resolve to an event id");
	return { ...event, eventId };
}
