import type { SignatureCheck } from "./check-signature.ts";
import type { ReceiverFailure } from "./failed-attempt.ts";

/**
 * The three documented kinds of event.
 * @see Specification, section 6
 */
export type WebhookKind = "inbound_message" | "inbound_reaction" | "status";

/** One attempt at a delivery. */
export interface RecordedAttempt {
	/** When the attempt began, in Unix milliseconds. */
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
	/**
	 * The id of the first attempt. All attempts have it, except under the reading "each retry has a new event id".
	 * Under the reading "events of a message share an id" the headers have another one.
	 */
	readonly eventId: string;
	/** The kind of event. */
	readonly kind: WebhookKind;
	/** The URL of the last attempt. Before the first, it is the destination when the event was queued. */
	readonly url: string;
	/** The headers of the last attempt. They are empty before the first. */
	readonly headers: Readonly<Record<string, string>>;
	/** The raw body, as it was signed. */
	readonly body: string;
	/** The attempts, the oldest first. */
	readonly attempts: readonly RecordedAttempt[];
	/** Whether it was delivered. It is `"pending"` while a further attempt is due or under way. */
	readonly state: "pending" | "delivered" | "failed";
}

/** A receiver's response, without the status. */
export interface ReceiverResponse {
	headers: Readonly<Record<string, string>>;
	/** The start of the body; empty if it is not text. */
	body: string;
	/** Why `body` is not the whole body. */
	bodyNote?: string;
}

/** An attempt with the headers and the body that were sent. */
export interface Attempt {
	readonly recorded: RecordedAttempt;
	/** Why there was no response. */
	readonly failure?: ReceiverFailure | undefined;
	readonly headers: Readonly<Record<string, string>>;
	/** The body that was sent, if it was edited, or a fault changed it. */
	readonly sentBody?: string | undefined;
	/** Whether the sent body was edited; it was signed again. */
	readonly isEdited?: boolean | undefined;
	readonly check?: SignatureCheck | undefined;
	readonly response?: ReceiverResponse | undefined;
	/** The time until the end of the response, or until the attempt failed, in milliseconds. */
	readonly durationMs?: number | undefined;
}

/** An event to deliver, for `Deliveries.add`. */
export interface WebhookEventDetails {
	readonly kind: WebhookKind;
	/** The message of the event; with `order: "by_message"`, its deliveries wait for each other. */
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
	/** As in {@link RecordedDelivery}; empty for a kept delivery. */
	url: string;
	headers: Readonly<Record<string, string>>;
	/** `"kept"` while there is no URL to deliver it to. */
	state: RecordedDelivery["state"] | "kept";
	/** When the next attempt is due, in Unix milliseconds; `undefined` while none is scheduled. */
	nextAttemptAt?: number | undefined;
}

/** The deliveries as tests see them: without those that are only kept. */
export function toRecordedDeliveries(deliveries: readonly Delivery[]): RecordedDelivery[] {
	return deliveries.flatMap(({ eventId, kind, url, headers, body, attempts, state }) => {
		if (state === "kept") return [];
		return [{ eventId, kind, url, headers, body, attempts: attempts.map(({ recorded }) => recorded), state }];
	});
}
