import type { OperationId } from "../../library/catalogue/index.ts";
import type { Profile } from "../../library/catalogue/profile.ts";
import type { Clock } from "../../library/runtime.ts";
import type { NonceStore } from "../../library/signing/nonce-store.ts";
import type { WebhookKind } from "./delivery.ts";
import type { Delays } from "./magic-numbers.ts";

/** Receives webhooks in process, as a server would over HTTP. */
export type WebhookReceiver = (request: Request) => Response | Promise<Response>;

/** How long the same message is blocked, in seconds; 0 turns a window off (specification, section 2.4). */
export interface DuplicateWindows {
	/** To the same contact, until it replies. @default 300 */
	contact?: number | undefined;
	/** From the same agent to another contact. @default 120 */
	agent?: number | undefined;
	/** From the whole account. @default 60 */
	account?: number | undefined;
}

/** The rules on what may be sent. */
export interface RuleOptions {
	/** How long the same message is blocked. */
	duplicateWindowSeconds?: DuplicateWindows | undefined;
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
	 * How many messages may be sent without a reply, unless the mapping or the agent has another limit.
	 * @default 5
	 */
	maxConsecutiveMessages?: number | undefined;
	/**
	 * What happens at `maxConsecutiveMessages`: the send is rejected, or accepted and marked in the mapping's
	 * `lastWarningSentAt`, or accepted.
	 * @default "enforce"
	 */
	consecutive?: "enforce" | "warn" | "off" | undefined;
	/**
	 * What happens to a message to a new contact while no agent is online; the response is 503 in either case. It is
	 * rejected, or queued until an agent is online.
	 * @default "reject"
	 */
	withoutAgent?: "reject" | "queue" | undefined;
}

/**
 * How webhooks are delivered, and whether payloads differ from the documented ones. The specification shows the
 * payloads (sections 6.2 to 6.4), but neither retries nor the order of deliveries.
 */
export interface WebhookOptions {
	/**
	 * How long to wait before each retry, in milliseconds; an empty list turns retries off.
	 * @default [1_000, 2_000, 4_000, 8_000, 16_000]
	 */
	retryDelaysMs?: readonly number[] | undefined;
	/**
	 * Whether a retry waits as many seconds as the receiver's `Retry-After` asks for: never less than its time in
	 * `retryDelaysMs`, and a minute at most. There are as many retries in either case.
	 * @default "ignored"
	 */
	retryAfter?: "ignored" | "honoured" | undefined;
	/**
	 * Whether a retry is signed again with a new timestamp, or has the timestamp and signature of the first attempt.
	 * @default "new"
	 */
	retryTimestamp?: "new" | "first" | undefined;
	/** Whether a retry has the id of the first attempt, or a new one. @default "first" */
	retryEventId?: "new" | "first" | undefined;
	/**
	 * Whether the deliveries of one message wait for each other. If not, every other delivery is a second late, so
	 * later ones overtake it.
	 * @default "by_message"
	 */
	order?: "by_message" | "none" | undefined;
	/**
	 * How many copies of each attempt are delivered at once. The attempt succeeds only if all are acknowledged.
	 * @default 1
	 */
	copies?: number | undefined;
	/**
	 * Whether the agent's own tapbacks are delivered as `inbound_reaction` with `outbound: true`.
	 * @default "omitted"
	 */
	ownTapbacks?: "omitted" | "delivered" | undefined;
	/**
	 * Whether the statuses of a message with a `status_callback` go there instead of to `statusWebhookUrl`, or to both.
	 * @default "instead"
	 */
	statusCallback?: "instead" | "additional" | undefined;
	/**
	 * Turns an event's payload, as the gateway writes it, into the payloads to deliver. Each becomes an event of its
	 * own; an empty list drops the event.
	 */
	encode?: ((payload: Readonly<Record<string, unknown>>, kind: WebhookKind) => readonly object[]) | undefined;
}

/** A response of the gateway, before it is written. */
export interface GatewayResponse {
	/** The operation, or `undefined` if the request has the path of none. */
	readonly operationId: OperationId | undefined;
	/** The HTTP status. */
	readonly status: number;
	/** A value that is written as JSON, a string that is written as plain text, or `undefined` for an empty body. */
	readonly body: unknown;
}

/** Options of `createLocalGateway`. */
export interface LocalGatewayOptions {
	/**
	 * The base URL of the gateway; it may have a path.
	 * @default "https://gateway.localhost"
	 */
	baseUrl?: string | undefined;
	/** The app id that signs requests. @default "local-app" */
	appId?: string | undefined;
	/** The App Secret of `appId`. @default "local-app-secret" */
	appSecret?: string | undefined;
	/** The secret that signs the webhooks. @default "local-webhook-secret" */
	webhookSecret?: string | undefined;
	/** Further app ids and their secrets. */
	apps?: Readonly<Record<string, string>> | undefined;
	/**
	 * Numbers of agents that are registered and online from the start.
	 * @default ["+15550000001"]
	 */
	agents?: readonly string[] | undefined;
	/**
	 * Receives the webhooks. A URL is registered for all kinds of events; a function also receives the deliveries to
	 * other URLs, so nothing leaves the process.
	 */
	deliverTo?: string | WebhookReceiver | undefined;
	/**
	 * The rules on what may be sent. Turn them off in tests of something else: one text sent to many contacts would be
	 * blocked by the account's duplicate window.
	 * @default "on"
	 */
	rules?: "on" | "off" | RuleOptions | undefined;
	/** When the steps of a message happen. */
	delays?: Delays | undefined;
	/** How webhooks are delivered, and whether payloads differ from the documented ones. */
	webhooks?: WebhookOptions | undefined;
	/**
	 * Whether a request with a field that is not known is rejected, or carried out without it.
	 * @default "rejected"
	 */
	unknownFields?: "rejected" | "ignored" | undefined;
	/** The unit of a mapping's timestamps. @default "milliseconds" */
	mappingTimestamps?: "milliseconds" | "seconds" | undefined;
	/** Changes each response before it is written, except the responses of faults. */
	encodeResponse?: ((response: GatewayResponse) => Omit<GatewayResponse, "operationId">) | undefined;
	/**
	 * What happens to a further request on a connection that was kept alive: it is served, or the connection is cut
	 * before the gateway sees it. Only a gateway behind a port has connections.
	 * @default "served"
	 */
	keptConnections?: "served" | "cut" | undefined;
	/**
	 * How many messages, mappings, agents, groups, requests and deliveries are kept; the oldest are dropped.
	 * Pending work is never dropped: at this limit, sends get a 503. Ten times as many nonces are
	 * kept, since a full nonce store rejects every request.
	 * @default 10_000
	 */
	maxEntries?: number | undefined;
	/**
	 * Where the nonces of requests are kept, for example in a database that several processes share.
	 * @default in memory
	 */
	nonceStore?: NonceStore | undefined;
	/** Choices that the specification leaves open; give the client the same profile. */
	profile?: Profile | undefined;
	/**
	 * The gateway's clock.
	 * @default an adjustable clock that runs with the system's
	 */
	clock?: Clock | undefined;
}
