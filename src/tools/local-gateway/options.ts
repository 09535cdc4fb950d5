import type { Profile } from "../../library/catalogue/profile.ts";
import type { Clock } from "../../library/runtime.ts";
import type { NonceStore } from "../../library/signing/nonce-store.ts";
import type { WebhookKind } from "./delivery.ts";
import type { Delays } from "./magic-numbers.ts";
import type { ReadingName } from "./readings/reading-name.ts";

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
	 * Whether the statuses of a message with a `status_callback` go there instead of to `statusWebhookUrl`, or to both.
	 * @default "instead"
	 */
	statusCallback?: "instead" | "additional" | undefined;
	/**
	 * Turns an event's payload, as the gateway writes it, into the payloads to deliver. Each becomes an event of its
	 * own; an empty list drops the event. What readings change comes first.
	 */
	encode?: ((payload: Readonly<Record<string, unknown>>, kind: WebhookKind) => readonly object[]) | undefined;
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
	/**
	 * What this gateway does differently from the default one: the names of some of the `readings`. They are applied in
	 * order; two that contradict each other are an error. Your other options win where both set the same thing.
	 * @default []
	 */
	readings?: readonly ReadingName[] | undefined;
	/** When the steps of a message happen. */
	delays?: Delays | undefined;
	/** How webhooks are delivered, and whether payloads differ from the documented ones. */
	webhooks?: WebhookOptions | undefined;
	/**
	 * How many messages, mappings, agents, groups, requests and deliveries are kept; the oldest are dropped.
	 * Pending work is never dropped: at this limit, sends get a 503. Thirty times as many nonces are
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
