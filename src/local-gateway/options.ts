import type { Profile } from "../catalogue/profile.ts";
import type { Clock } from "../runtime.ts";
import type { NonceStore } from "../signing/nonce-store.ts";
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
	 * How many messages may be sent without a reply, unless the mapping or the agent has another limit.
	 * @default 5
	 */
	maxConsecutiveMessages?: number | undefined;
	/**
	 * What happens at that threshold: the send is rejected, only marked in `lastWarningSentAt`, or accepted.
	 * @default "enforce"
	 */
	consecutive?: "enforce" | "warn" | "off" | undefined;
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
	 * Receives the webhooks. A URL is registered for all kinds; a function also receives the deliveries to other
	 * URLs, and nothing leaves the process.
	 */
	deliverTo?: string | WebhookReceiver | undefined;
	/**
	 * The rules on what may be sent. Turn them off in tests of something else: sending one text to many contacts
	 * would hit the account's duplicate window.
	 * @default "on"
	 */
	rules?: "on" | "off" | RuleOptions | undefined;
	/** When the steps of a message happen. */
	delays?: Delays | undefined;
	/**
	 * How long to wait before each retry of a webhook, in milliseconds.
	 * @default [1_000, 2_000, 4_000, 8_000, 16_000]
	 */
	retryDelaysMs?: readonly number[] | undefined;
	/**
	 * How many messages, mappings, agents, groups, requests and deliveries are kept; the oldest are dropped.
	 * Pending work is never dropped: at this limit, sends are rejected with 503. Ten times as many nonces are
	 * kept, since a full nonce store rejects every request.
	 * @default 10_000
	 */
	maxEntries?: number | undefined;
	/**
	 * Keeps the nonces of requests, for example for several processes.
	 * @default in memory
	 */
	nonceStore?: NonceStore | undefined;
	/** Choices that the specification leaves open, as given to the client. */
	profile?: Profile | undefined;
	/**
	 * The gateway's clock.
	 * @default an adjustable clock that runs with the system's
	 */
	clock?: Clock | undefined;
}
