import { describeGiven, hasMethods } from "../assert-argument.ts";
import type { Flat } from "../catalogue/flat.ts";
import { isHandle } from "../catalogue/handle.ts";
import { assertFunction, assertKnownKeys, assertMethods } from "../check-options.ts";
import { findCaller } from "../client/bound-caller.ts";
import type { AwaitedMethods } from "../client/gateway-call.ts";
import type { Analytics } from "../client/resources/analytics.ts";
import type { Messages } from "../client/resources/messages.ts";
import { ConfigurationError } from "../errors.ts";
import type { Sender } from "../sends/create-sender.ts";
import type { StatusEvent, WebhookEvent } from "../webhooks/events.ts";
import type { WebhookHandlerSettings, WithQueue, WithStore } from "../webhooks/handler-options.ts";
import type { WebhookSecret } from "../webhooks/secret.ts";
import type { GatewayPost } from "./post.ts";

/** The options of `createGatewayAdapter`. */
export interface GatewayAdapterOptions {
	/**
	 * The client that posts, reacts and reads the history: a `MessagingGateway`, or in a test a fake of these methods.
	 */
	gateway: {
		readonly messages: AwaitedMethods<Omit<Messages, "checkCapability" | "send">>;
		readonly analytics: Pick<Analytics, "listMessages">;
	};
	/**
	 * Makes each post of an event once, however often the event runs. Its key is the adapter's name, the event's id and
	 * the number of the post. Without a sender, an event that runs again posts again.
	 */
	sender?: Pick<Sender, "send"> | undefined;
	/**
	 * How to verify deliveries to `bot.webhooks.gateway`, and where they go. A worker that only calls `process` needs
	 * none.
	 */
	webhooks?: GatewayWebhooks | undefined;
	/**
	 * Processes a status, for which Chat SDK has no handlers. With a `sender`, pass the status to `observeSend`.
	 * @default the status counts as done
	 */
	onStatus?: ((event: StatusEvent) => unknown) | undefined;
	/**
	 * Processes an event that the bot can't read. It has a new type, or an undocumented shape that lacks its chat or
	 * what to answer. When it returns, the event is done.
	 * @default the event counts as done, with a warning in Chat SDK's log: one for each new type, and for each event of another shape
	 */
	onUnknown?: ((event: WebhookEvent) => unknown) | undefined;
	/**
	 * Called with a post that was not sent, since an earlier run has made it with other words. `text` has the words
	 * that the contact got, so a bot with a model can go on from them.
	 * @default a warning in Chat SDK's log, without the words
	 */
	onKept?: ((post: GatewayPost) => unknown) | undefined;
	/**
	 * Your numbers at the gateway. The bot ignores their messages, since it would answer itself. `[]` ignores only
	 * messages to oneself.
	 * @default those to which a contact has written since the start of the process
	 */
	ownNumbers?: readonly string[] | undefined;
	/** The name that you give it in `adapters`. Its thread ids begin with it. @default "gateway" */
	name?: string | undefined;
	/** The bot's name in mentions. @default `userName` of `new Chat` */
	userName?: string | undefined;
}

/** How to verify deliveries, and where they go: to a queue, or to the bot before the response. */
export type GatewayWebhooks = (Flat<EnqueuedEvents> | Flat<EventsWithinDelivery>) &
	Flat<GatewayWebhookSettings>;

/** The settings of `createWebhookHandler`. An adapter serves one account, so its secret names no tenant. */
export interface GatewayWebhookSettings
	extends Omit<WebhookHandlerSettings, "secret" | "maxHandlerMs">,
		Omit<WithStore, "inbox"> {
	/**
	 * The signing secret, or several during a rotation.
	 * @default the environment variable MESSAGING_GATEWAY_WEBHOOK_SECRET
	 */
	secret?: WebhookSecret | undefined;
}

/** A durable queue keeps each event, and its worker calls `process`. */
export interface EnqueuedEvents extends Pick<WithQueue, "enqueue"> {
	/** The longest time to add an event to the queue, in milliseconds. @default 300_000 */
	maxHandlerMs?: number | undefined;
}

/** The bot runs before the response. Use it only for bots that certainly answer within seconds, and for tests. */
export interface EventsWithinDelivery {
	/** Without it the gateway waits for the bot. */
	enqueue?: undefined;
	/**
	 * The longest the bot may run, in milliseconds, up to 25_000. After that the event is not acknowledged, and the bot
	 * posts nothing more.
	 */
	maxHandlerMs: number;
}

/** The options of `process`. */
export interface ProcessOptions {
	/**
	 * Fires when another worker may run the event. `process` then rejects with its reason, and posts nothing more
	 * without a key.
	 */
	signal?: AbortSignal | undefined;
}

/** Below the half minute after which a sender gives up. */
const MAX_WITHIN_DELIVERY_MS = 25_000;

const OPTIONS: Readonly<Record<keyof GatewayAdapterOptions, true>> = {
	gateway: true,
	sender: true,
	webhooks: true,
	onStatus: true,
	onUnknown: true,
	onKept: true,
	ownNumbers: true,
	name: true,
	userName: true,
};

/** @throws ConfigurationError if an option is missing or invalid. */
export function assertOptions(options: GatewayAdapterOptions): void {
	assertKnownKeys("createGatewayAdapter options", options, Object.keys(OPTIONS));
	const { gateway, sender, webhooks, onStatus, onUnknown, onKept, ownNumbers, name = "gateway" } = options;
	// Also for its version: what is no client is known by its methods.
	const profile = findCaller(gateway)?.profile;
	if (!hasMethods(gateway?.messages, ["sendText", "addTapback"]))
		throw new ConfigurationError(
			`gateway must be a MessagingGateway: pass new MessagingGateway()${describeGiven(gateway)}`,
		);
	assertMethods("gateway.analytics", gateway?.analytics ?? {}, ["listMessages"]);
	if (sender !== undefined && !hasMethods(sender, ["send"]))
		throw new ConfigurationError(`sender must be what createSender returns${describeGiven(sender)}`);
	assertFunction("onStatus", onStatus);
	assertFunction("onUnknown", onUnknown);
	assertFunction("onKept", onKept);
	const numbers: unknown = ownNumbers ?? [];
	if (!Array.isArray(numbers)) throw new ConfigurationError("ownNumbers must be a list");
	const unfit = numbers.findIndex((number) => !isHandle(number, profile));
	if (unfit >= 0)
		throw new ConfigurationError(
			`ownNumbers[${unfit}] must be a number in E.164, a short code or an e-mail address, as events have it`,
		);
	if (!/^[\w-]{1,32}$/.test(name))
		throw new ConfigurationError("name must be 1 to 32 letters, digits, underscores or hyphens");
	if (webhooks === undefined || webhooks.enqueue !== undefined) return;
	const { maxHandlerMs }: { maxHandlerMs?: unknown } = webhooks;
	if (typeof maxHandlerMs === "number" && maxHandlerMs > 0 && maxHandlerMs <= MAX_WITHIN_DELIVERY_MS) return;
	throw new ConfigurationError(
		maxHandlerMs === undefined
			? `webhooks.enqueue is required: add each event to a durable queue, whose worker calls the adapter's process(event). For a bot that is always done within seconds, pass webhooks.maxHandlerMs instead, at most ${MAX_WITHIN_DELIVERY_MS}`
			: `webhooks.maxHandlerMs must be above 0, and at most ${MAX_WITHIN_DELIVERY_MS}. For a slower bot, pass webhooks.enqueue instead`,
	);
}
