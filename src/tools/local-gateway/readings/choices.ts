import type { OperationId } from "../../../library/catalogue/index.ts";
import type { LocalGatewayOptions, RuleOptions, WebhookOptions } from "../options.ts";

/** The rules, with what only readings choose. */
export interface RuleChoices extends RuleOptions {
	/**
	 * Which messages of a window a new one is compared with: all, or only the last one.
	 * @default "all"
	 */
	duplicateOf?: "all" | "last" | undefined;
	/**
	 * Whether the account's window also blocks the same message to the contact that it was sent to.
	 * @default "all_contacts"
	 */
	accountWindow?: "all_contacts" | "other_contacts" | undefined;
	/**
	 * Which windows of a contact's messages its reply clears: its own, or those of the agent and the account as well.
	 * @default "contact"
	 */
	replyClears?: "contact" | "all" | undefined;
	/**
	 * Whether an attempt that is blocked as a duplicate starts the windows of the message that blocks it again.
	 * @default "ignored"
	 */
	blockedAttempts?: "ignored" | "extend" | undefined;
	/**
	 * Whether whitespace around a text counts when messages are compared.
	 * @default "trimmed"
	 */
	compareText?: "trimmed" | "exact" | undefined;
	/**
	 * What happens to a message to a new contact while no agent is online; the response is 503 in either case. It is
	 * rejected, or queued until an agent is online.
	 * @default "reject"
	 */
	withoutAgent?: "reject" | "queue" | undefined;
}

/** How webhooks are delivered, with what only readings choose. */
export interface WebhookChoices extends WebhookOptions {
	/**
	 * Whether a retry waits as many seconds as the receiver's `Retry-After` asks for: never less than its time in
	 * `retryDelaysMs`, and a minute at most. There are as many retries in either case.
	 * @default "ignored"
	 */
	retryAfter?: "ignored" | "honoured" | undefined;
	/**
	 * Whether a response with a 4xx is tried again as any failure, or ends the delivery, except 408 and 429.
	 * @default "retried"
	 */
	rejections?: "retried" | "final" | undefined;
	/**
	 * Whether a retry is signed again with a new timestamp, or has the timestamp and signature of the first attempt.
	 * @default "new"
	 */
	retryTimestamp?: "new" | "first" | undefined;
	/** Whether a retry has the id of the first attempt, or a new one. @default "first" */
	retryEventId?: "new" | "first" | undefined;
	/** Whether each event has an id of its own, or all events of a message have one. @default "of_event" */
	eventId?: "of_event" | "of_message" | undefined;
	/**
	 * Whether the agent's own tapbacks are delivered as `inbound_reaction` with `outbound: true`.
	 * @default "omitted"
	 */
	ownTapbacks?: "omitted" | "delivered" | undefined;
}

/** The payload of an event. */
export type SentPayload = Readonly<Record<string, unknown>>;

/** A response of the gateway, before it is written. */
export interface GatewayResponse {
	/** The operation, or `undefined` if the request has the path of none. */
	readonly operationId: OperationId | undefined;
	/** The HTTP status. */
	readonly status: number;
	/** A value that is written as JSON, a string that is written as plain text, or `undefined` for an empty body. */
	readonly body: unknown;
}

/** Changes a response before it is written, except the responses of faults. */
export type EncodeResponse = (response: GatewayResponse) => Omit<GatewayResponse, "operationId">;

/** What a reading chooses. */
export interface Choices extends Pick<LocalGatewayOptions, "baseUrl" | "profile"> {
	/** The rules on what may be sent. */
	rules?: RuleChoices | undefined;
	/** How webhooks are delivered. */
	webhooks?: WebhookChoices | undefined;
	/** The values of fields that events have, by the field's name, from the value that the gateway writes. */
	eventFields?: Readonly<Record<string, (value: unknown, payload: SentPayload) => unknown>> | undefined;
	/**
	 * Whether a request with a field that is not known is rejected, or carried out without it.
	 * @default "rejected"
	 */
	unknownFields?: "rejected" | "ignored" | undefined;
	/** The unit of a mapping's timestamps. @default "milliseconds" */
	mappingTimestamps?: "milliseconds" | "seconds" | undefined;
	encodeResponse?: EncodeResponse | undefined;
	/**
	 * What happens to a further request on a connection that was kept alive: it is served, or the connection is cut
	 * before the gateway sees it. Only a gateway behind a port has connections.
	 * @default "served"
	 */
	keptConnections?: "served" | "cut" | undefined;
}
