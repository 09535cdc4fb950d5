import type { StatusUpdate } from "../catalogue/events.ts";
import type { SendStore } from "../stores/send-store.ts";
import { findToken } from "./prepare-send.ts";
import { noted } from "./record.ts";
import { change } from "./stored-record.ts";
import { type SendVerdict, verdictOf } from "./verdict.ts";

/** A verified event: the `WebhookEvent` of `messaging-gateway/webhooks`. Nothing else is evidence. */
export type ObservableEvent = { readonly eventId: string; readonly timestamp: number } & (
	| { readonly kind: "status"; readonly data: StatusUpdate }
	| { readonly kind: "inbound_message" | "inbound_reaction" }
	| { readonly kind: "unknown"; readonly narrowed: NarrowedUpdate | undefined }
);

type NarrowedUpdate =
	| { readonly kind: "status"; readonly data: Partial<StatusUpdate> }
	| { readonly kind: "inbound_message" | "inbound_reaction" };

/** The send that a status event belongs to. */
export interface ObservedSend {
	readonly key: string;
	/** What is known of the send now. */
	readonly verdict: SendVerdict;
}

/** Notes the acceptance that a status event proves: only a message that was accepted has a status. */
export async function observeEvent(
	store: SendStore,
	event: ObservableEvent,
): Promise<ObservedSend | undefined> {
	const update = readUpdate(event);
	const { status_callback: url, status, messageId } = update ?? {};
	if (typeof url !== "string" || typeof status !== "string") return undefined;
	const found = findToken(url);
	const key = found && (await store.find(found.recordId));
	if (found === undefined || key === undefined) return undefined;
	const { token } = found;
	let isOurs = false;
	const changed = await change(store, key, (record) => {
		isOurs = record.attempts.some((attempt) => attempt.token === token);
		return noted(record, token, { deliveryStatus: status, messageId });
	});
	if (changed === undefined || !isOurs) return undefined;
	return { key, verdict: verdictOf(changed.record, changed.now) };
}

/** The status update of an event. One that is not as documented otherwise still has its callback and its status. */
function readUpdate(event: ObservableEvent): Partial<StatusUpdate> | undefined {
	if (event.kind === "status") return event.data;
	return event.kind === "unknown" && event.narrowed?.kind === "status" ? event.narrowed.data : undefined;
}
