import type { Profile } from "../../library/catalogue/profile.ts";
import type { Clock } from "../../library/runtime.ts";
import type { NonceStore } from "../../library/signing/nonce-store.ts";
import type { WebhookKind } from "./delivery.ts";
import type { Delays } from "./magic-numbers.ts";
import type { ReadingName } from "./readings/reading-name.ts";

/** Receives webhooks in process, as a server would over HTTP. */
export type WebhookReceiver = (request: Request) => Response | Promise<Response>;

/**
 * How long the same message is blocked, in seconds. 0 turns a window off.
 * @see Specification, section 2.4
 */
export interface DuplicateWindows {
	/** The window to the same contact, until it replies. @default 300 */
	contact?: number | undefined;
	/** The window from the same agent to another contact. @default 120 */
	agent?: number | undefined;
	/** The window of the whole account. @default 60 */
	account?: number | undefined;
}

/** The rules on sends. */
export interface RuleOptions {
	/** How long the same message is blocked. */
	duplicateWindowSeconds?: DuplicateWindows | undefined;
	/**
	 * How many messages you may send without a reply, unless the mapping or the agent has another limit.
	 * @default 5
	 */
	maxConsecutiveMessages?: number | undefined;
	/**
	 * Decides what to do at `maxConsecutiveMessages`. The send is rejected, or accepted and marked in the mapping's
	 * `lastWarningSentAt`, or accepted.
	 * @default "enforce"
	 */
	consecutive?: "enforce" | "warn" | "off" | undefined;
}

/**
 * How to deliver webhooks, and whether payloads differ from the documented ones. The specification shows neither
 * retries nor the order of deliveries.
 */
export interface WebhookOptions {
	/**
	 * How long to wait before each retry, in milliseconds. An empty list turns retries off.
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
	 * How many copies of each attempt to deliver at once. The attempt succeeds only if all are acknowledged.
	 * @default 1
	 */
	copies?: number | undefined;
	/**
	 * Where the statuses of a message with a `status_callback` go: there instead of to `statusWebhookUrl`, or to both.
	 * @default "instead"
	 */
	statusCallback?: "instead" | "additional" | undefined;
	/**
	 * Turns an event's payload, as the gateway writes it, into the payloads to deliver. Each becomes an event of its
	 * own. An empty list drops the event. Changes of readings come first.
	 */
	encode?: ((payload: Readonly<Record<string, unknown>>, kind: WebhookKind) => readonly object[]) | undefined;
}

/** The options of `createLocalGateway`. */
export interface LocalGatewayOptions {
	/**
	 * The base URL of the gateway, which may have a path.
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
	 * The numbers of agents that are registered and online from the start.
	 * @default ["+15550000001"]
	 */
	agents?: readonly string[] | undefined;
	/**
	 * Receives the webhooks. A URL is registered for all kinds of events. A function also receives the deliveries to
	 * other URLs, so nothing leaves the process.
	 */
	deliverTo?: string | WebhookReceiver | undefined;
	/**
	 * The rules on sends. Turn them off in tests of other behaviour, since the account's duplicate window would block
	 * one text to many contacts.
	 * @default "on"
	 */
	rules?: "on" | "off" | RuleOptions | undefined;
	/**
	 * How this gateway differs from the default one: the names of some of the `readings`. They are applied in order.
	 * Two that contradict each other are an error. Your other options win where both set the same thing.
	 * @default []
	 */
	readings?: readonly ReadingName[] | undefined;
	/** When the steps of a message happen. */
	delays?: Delays | undefined;
	/** How to deliver webhooks, and whether payloads differ from the documented ones. */
	webhooks?: WebhookOptions | undefined;
	/**
	 * How many messages, mappings, agents, groups, requests and deliveries to keep. The oldest are dropped, but never
	 * pending work: at this limit, sends get a 503. Thirty times as many nonces are kept, since a full nonce store
	 * rejects every request.
	 * @default 10_000
	 */
	maxEntries?: number | undefined;
	/**
	 * Keeps the nonces of requests, for example in a database that several processes share.
	 * @default in memory
	 */
	nonceStore?: NonceStore | undefined;
	/** Describes how the gateway differs from the defaults. Give the client the same profile. */
	profile?: Profile | undefined;
	/**
	 * The gateway's clock.
	 * @default an adjustable clock that runs with the system's
	 */
	clock?: Clock | undefined;
}
