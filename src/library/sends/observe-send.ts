import type { StatusUpdate } from "../catalogue/events.ts";
import type { SendStore } from "../stores/send-store.ts";
import { findToken } from "./prepare-send.ts";
import { updateAttempt } from "./record.ts";
import { StoredRecords, type StoreLimit } from "./stored-record.ts";
import { type SendVerdict, verdictOf } from "./verdict.ts";

/** A verified event: the `WebhookEvent` of `messaging-gateway/webhooks`. Nothing else is evidence. */
export type ObservableEvent = { readonly eventId: string; readonly timestamp: number } & (
	| { readonly kind: "status"; readonly data: StatusUpdate }
	| { readonly kind: "inbound_message" | "inbound_reaction" }
	| {
			readonly kind: "unknown";
			readonly narrowed:
				| { readonly kind: "status"; readonly data: Partial<StatusUpdate> }
				| { readonly kind: "inbound_message" | "inbound_reaction" }
				| undefined;
	  }
);

/** The send that a status event belongs to. */
export interface ObservedSend {
	readonly key: string;
	/** Whether the send was accepted, as far as it is known now. */
	readonly verdict: SendVerdict;
}

/**
 * Records a status event, which can prove that the gateway accepted a send. It is proof if it came by an attempt's own
 * `status_callback`, whatever its status. Only pass events from `verifyWebhook`, `verifyWebhookRequest` or a webhook
 * handler.
 * @param store - the senders' store.
 * @param options - how long a call of it may take.
 * @returns the send that the event belongs to, or `undefined` if this store has none.
 * @throws SendError (`store_failed`): let the delivery fail, so that it may be repeated.
 */
export async function observeSend(
	store: SendStore,
	event: ObservableEvent,
	options?: StoreLimit,
): Promise<ObservedSend | undefined> {
	const { status_callback: url, status, messageId } = readUpdate(event) ?? {};
	const found = typeof url === "string" ? findToken(url) : undefined;
	if (found === undefined || typeof status !== "string") return undefined;
	const { token, recordId } = found;
	const records = new StoredRecords(store, options);
	const key = await records.call(
		"find",
		(store) => store.find(recordId),
		"a key or undefined",
		(value) => value === undefined || typeof value === "string",
	);
	if (key === undefined) return undefined;
	const changed = await records.change(key, (record) =>
		updateAttempt(record, token, { deliveryStatus: status, messageId }),
	);
	const isOurs = changed?.record.attempts.some((attempt) => attempt.token === token);
	return changed && isOurs ? { key, verdict: verdictOf(changed.record, changed.now) } : undefined;
}

/** The status update of an event. One that is not as documented otherwise still has its callback and its status. */
function readUpdate(event: ObservableEvent): Partial<StatusUpdate> | undefined {
	if (event.kind === "status") return event.data;
	return event.kind === "unknown" && event.narrowed?.kind === "status" ? event.narrowed.data : undefined;
}
