import type { SignatureCheck } from "./check-signature.ts";

/** The three documented events (specification, section 6). */
export type WebhookKind = "inbound_message" | "inbound_reaction" | "status";

/** One attempt at a delivery. */
export interface RecordedAttempt {
	/** When it began, in Unix milliseconds. */
	readonly at: number;
	/** The signed timestamp, in Unix seconds. */
	readonly timestamp: number;
	/** The status of the receiver's response. */
	readonly status?: number;
	/** Why there was no response. */
	readonly error?: string;
}

/** A webhook and the state of its delivery. */
export interface RecordedDelivery {
	/** The id of the first attempt; the same for all, unless the option `webhooks.retryEventId` is `"new"`. */
	readonly eventId: string;
	/** The kind of event. */
	readonly kind: WebhookKind;
	/** The URL of the last attempt. */
	readonly url: string;
	/** The headers of the last attempt; empty before the first. */
	readonly headers: Readonly<Record<string, string>>;
	/** The raw body, as it was signed. */
	readonly body: string;
	/** The attempts, the oldest first. */
	readonly attempts: readonly RecordedAttempt[];
	/** Whether it was delivered; `"pending"` while a further attempt is due or under way. */
	readonly state: "pending" | "delivered" | "failed";
}

/** What a receiver responded beside the status. */
export interface ReceiverResponse {
	headers: Readonly<Record<string, string>>;
	/** The start of the body; empty if it is no text. */
	body: string;
	/** Why `body` is not the whole body. */
	bodyNote?: string;
}

/** An attempt with the headers and the body that were sent. */
export interface Attempt {
	readonly recorded: RecordedAttempt;
	readonly headers: Readonly<Record<string, string>>;
	/** The body that was sent, if a fault changed it. */
	readonly sentBody?: string | undefined;
	readonly check?: SignatureCheck | undefined;
	readonly response?: ReceiverResponse | undefined;
	/** The time until the end of the response, or until the attempt failed, in milliseconds. */
	readonly durationMs?: number | undefined;
}

/** An event to deliver, for `Deliveries.add`. */
export interface WebhookEventDetails {
	readonly kind: WebhookKind;
	/** Deliveries of one message keep their order. */
	readonly messageId: string;
	readonly conversationKey: string;
	/** The message's own URL for its status updates. */
	readonly statusCallback: string | null;
}

/** A delivery as the gateway keeps it. */
export interface Delivery extends WebhookEventDetails {
	readonly sequence: number;
	readonly createdAt: number;
	readonly eventId: string;
	readonly body: string;
	readonly attempts: Attempt[];
	url: string;
	headers: Readonly<Record<string, string>>;
	state: RecordedDelivery["state"];
	/** When the next attempt is due, in Unix milliseconds; absent while none waits. */
	nextAttemptAt?: number | undefined;
}

/** The delivery as tests see it. */
export function toRecordedDelivery(delivery: Delivery): RecordedDelivery {
	const { eventId, kind, url, headers, body, attempts, state } = delivery;
	return { eventId, kind, url, headers, body, attempts: attempts.map(({ recorded }) => recorded), state };
}
