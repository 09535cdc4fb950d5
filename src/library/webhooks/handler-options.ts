import type { Around } from "../around.ts";
import { assertAll, assertArgument, describeGiven, hasMethods } from "../assert-argument.ts";
import type { Flat } from "../catalogue/flat.ts";
import type { Profile } from "../catalogue/profile.ts";
import { assertFunction, assertKnownKeys, assertMethods, assertPositive } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { type Clock, systemClock } from "../runtime.ts";
import { viewBytes } from "../signing/bytes.ts";
import { STORE_TIMEOUT_MS } from "../store-calls/with-timeout.ts";
import { isInMemory } from "../stores/bound-store.ts";
import type { EventStore } from "../stores/event-store.ts";
import type { Inbox } from "../stores/inbox.ts";
import { decoderOf } from "./decode-payload.ts";
import type {
	InboundMessageEvent,
	InboundReactionEvent,
	StatusEvent,
	UnknownEvent,
	WebhookEvent,
} from "./events.ts";
import type { LeaseEndedError } from "./lease.ts";
import type { RawBody } from "./read-body.ts";
import { createReporter, type OnWebhookError, type Reporter } from "./report.ts";
import {
	copyWebhookSecret,
	type PlatformSecret,
	type WebhookSecret,
	type WebhookSecretFunction,
} from "./secret.ts";
import {
	bindingMs,
	isTolerance,
	MAX_BOUND_TOLERANCE_SECONDS,
	MAX_TOLERANCE_SECONDS,
} from "./verify-signature.ts";
import type { WebhookResponse } from "./webhook-response.ts";

/** The context of a run, which handlers get after the event. */
export interface HandlerContext {
	/** The number of the run for this event, from 1. */
	readonly attempt: number;
	/** The fencing token, which only grows for an event. A write with a smaller one comes from a stale worker. */
	readonly token: number;
	/** The tenant that your secret function named, if there is one. An event's id is unique only within its tenant. */
	readonly tenant: string | undefined;
	/**
	 * Returns the raw body as text, to keep an event that you can't process. Its UTF-8 bytes are the signed ones. It is
	 * a function, so a context in a log shows nothing of it.
	 */
	readonly readBody: () => string;
	/** Aborts when the lease is lost or `maxHandlerMs` is over. Another worker may then run. */
	readonly signal: AbortSignal;
}

/** The context of a run in an inbox. Your work in `transaction` commits with the event. */
export interface InboxContext<Transaction> {
	/** The inbox's open transaction. Don't end it, and don't use it once `signal` has fired. */
	readonly transaction: Transaction;
	/** The tenant that your secret function named, if there is one. An event's id is unique only within its tenant. */
	readonly tenant: string | undefined;
	/**
	 * Returns the raw body as text, to keep an event that you can't process. Its UTF-8 bytes are the signed ones. It is
	 * a function, so a context in a log shows nothing of it.
	 */
	readonly readBody: () => string;
	/** Aborts when `maxHandlerMs` is over, or a `Pool`'s connection is lost. The transaction is then undone. */
	readonly signal: AbortSignal;
}

/**
 * Processes one event. When it resolves, the event is acknowledged. When it rejects, the event isn't: another delivery
 * would run it again, but the specification doesn't say whether the gateway delivers it again.
 * @see Specification, section 6.4
 */
export type EventHandler<Event extends WebhookEvent, Context = HandlerContext> = (
	event: Event,
	context: Context,
) => unknown;

/** Your handlers, one for each kind of event. An event of a known kind without a handler is acknowledged. */
export interface EventHandlers<Context = HandlerContext> {
	/** Called when a contact wrote a message. */
	inbound_message?: EventHandler<InboundMessageEvent, Context> | undefined;
	/** Called when a contact reacted to a message. */
	inbound_reaction?: EventHandler<InboundReactionEvent, Context> | undefined;
	/** Called when the delivery status of a sent message changed. */
	status?: EventHandler<StatusEvent, Context> | undefined;
	/**
	 * Called for an event that this version doesn't know, or that isn't as documented. `issues` names the wrong fields,
	 * and `narrowed` has the others. It is required, so you decide about such events before production. When it
	 * returns, the event is acknowledged.
	 */
	unknown: EventHandler<UnknownEvent, Context>;
}

/** Identifies a run for an event. It holds nothing of the payload. */
export interface HandlerRunInfo {
	/** The event's id. */
	readonly eventId: string;
	/** The event's kind, e.g. `"inbound_message"`. */
	readonly kind: WebhookEvent["kind"];
	/** The name of the receiver. */
	readonly consumer: string;
	/** The number of the run for this event, from 1. An inbox doesn't count: a run that fails leaves no record. */
	readonly attempt: number | undefined;
}

/** How a run ended: the handler finished, it threw, or its time or lease was over. */
export type HandlerEnding =
	| { readonly kind: "finished" }
	| { readonly kind: "failed"; readonly error: unknown }
	| { readonly kind: "over"; readonly error: LeaseEndedError };

/** The response to a delivery, for counters and an event log. It holds nothing of the payload. */
export interface WebhookResponseInfo {
	/** The event's id. It is `undefined` if the delivery was rejected, since anyone could have written it. */
	readonly eventId: string | undefined;
	/** The event's kind, e.g. `"inbound_message"`. It is `undefined` if the delivery was rejected. */
	readonly kind: WebhookEvent["kind"] | undefined;
	/** The HTTP status. */
	readonly status: number;
	/** The code of the response: `"acknowledged"`, or why the event wasn't. */
	readonly code: "acknowledged" | Exclude<WebhookResponse["body"], "">;
	/** Whether the event was already done or being processed when this delivery arrived, so nothing ran. */
	readonly isRepeat: boolean;
	/** The time from the call of the handler to the response, in milliseconds. */
	readonly durationMs: number;
}

/** The verified delivery of a run. It holds a person's words, so never log it. */
export interface HandledDelivery {
	/** The raw body, byte for byte. */
	readonly body: RawBody;
	/** When it was signed, in Unix seconds. */
	readonly timestamp: number;
	/** The tenant that your secret function named, if there is one. An event's id is unique only within its tenant. */
	readonly tenant: string | undefined;
}

/**
 * Finds a header of a delivery by its name, in any case.
 * @throws WebhookVerificationError `malformed_header` for one that is there twice.
 */
export type HeaderReader = (name: string) => string | undefined;

/** A hook around the handler of an event, as {@link Around} describes it. It gets the delivery as well. */
export type AroundHandler = (
	info: HandlerRunInfo,
	run: () => Promise<HandlerEnding>,
	delivery: HandledDelivery,
) => unknown;

/** Wraps and observes the work of the handler. If a hook throws, `onError` gets the error, and nothing else changes. */
export interface WebhookHooks {
	/**
	 * Wraps the handler of an event, or `enqueue`. It isn't called if nothing runs, as for a repeat of a finished
	 * event.
	 */
	aroundHandler?: AroundHandler | undefined;
	/**
	 * Called for every response, repeats and rejected deliveries included. Nothing waits for it. `readHeader` finds a
	 * header of the delivery. `readBody` returns its raw body, or `undefined` if it was not read, since headers are
	 * missing or it is too large. They are functions, so a hook that prints its arguments prints neither.
	 */
	onResponse?:
		| ((info: WebhookResponseInfo, readHeader: HeaderReader, readBody: () => RawBody | undefined) => unknown)
		| undefined;
}

/** The options of `createWebhookHandler`, apart from its handlers and its store. */
export interface WebhookHandlerSettings {
	/**
	 * The signing secret, as a string or as bytes, or several during a rotation. Pass `{ fromPlatform }` for a secret
	 * among the bindings of a platform, or a function that finds a tenant and its secret for a delivery. It is resolved
	 * at the first delivery, so a build without secrets doesn't fail.
	 * @default the environment variable MESSAGING_GATEWAY_WEBHOOK_SECRET
	 */
	secret?: WebhookSecret | PlatformSecret | WebhookSecretFunction | undefined;
	/**
	 * A name for this receiver: letters, digits, `.`, `_` and `-`. Receivers with different names on one store don't
	 * see each other's events.
	 * @default "default"
	 */
	consumer?: string | undefined;
	/**
	 * Called for everything that goes wrong. If it fails, each kind of problem is printed once, and the response is
	 * unchanged. The response waits up to 2 seconds for its promise; a host with `waitUntil` gets the promise instead.
	 * @default prints each kind of problem once on the console, without the error's own message
	 */
	onError?: OnWebhookError | undefined;
	/** Wraps your handlers, e.g. in a span, and observes each response. */
	hooks?: WebhookHooks | undefined;
	/**
	 * How far the timestamp may lie behind your clock, in seconds: 0 to 86,400, a day. Use more for a gateway that
	 * repeats its first timestamp. Above 3,600 it needs a store other than `memoryStore`. The same limit
	 * holds ahead of your clock, up to 300.
	 * @default 300
	 */
	toleranceSeconds?: number | undefined;
	/** The largest body to read, in bytes. @default 1_048_576 */
	maxBodyBytes?: number | undefined;
	/** The longest a handler may run, in milliseconds. @default 300_000 */
	maxHandlerMs?: number | undefined;
	/**
	 * How long to remember an event, in milliseconds. Set at least the tolerance behind and ahead of your clock, and
	 * 301 seconds more.
	 * @default 604_800_000 (7 days)
	 */
	retentionMs?: number | undefined;
	/** The longest one call of the store, or of the secret function, may take, in milliseconds. @default 5_000 */
	storeTimeoutMs?: number | undefined;
	/**
	 * The clock for timestamps, leases and limits. Leases go by `now` and `monotonicNow`, and ask the store when those
	 * differ.
	 * @default the system clock
	 */
	clock?: Clock | undefined;
	/** Describes how webhooks differ: the vendor's word in the header names and the payload, and other payloads. */
	profile?: Pick<Profile, "vendor" | "events" | "mapper"> | undefined;
}

/** Handlers process the events. */
export interface WithHandlers<Context = HandlerContext> {
	/** Your handlers, one for each kind of event. */
	on: EventHandlers<Context>;
	/** Give `on` or `enqueue`, not both. */
	enqueue?: undefined;
}

/** A queue accepts the events. */
export interface WithQueue<Context = HandlerContext> {
	/**
	 * Adds every event to a durable queue, instead of `on`. The event is acknowledged when this resolves. Derive the
	 * job's id from the event's id.
	 */
	enqueue: EventHandler<WebhookEvent, Context>;
	/** Give `on` or `enqueue`, not both. */
	on?: undefined;
}

/** The code for an event: its handler, or the queue. */
export type Handling<Context> = WithHandlers<Context> | WithQueue<Context>;

/**
 * A store remembers the events.
 * @typeParam _Transaction - unused. With it the compiler resolves this form last, and names `store` if both are missing.
 */
export interface WithStore<_Transaction = unknown> {
	/** Remembers which events are done. `memoryStore()` serves one process. */
	store: EventStore;
	/**
	 * How long a store holds an event without a heartbeat, in milliseconds. After a crash nobody runs the event for
	 * that long, and the gateway's retries must outlast it, or the event is lost. Below three times `storeTimeoutMs`, a
	 * slow call may lose it.
	 * @default 15_000
	 */
	leaseMs?: number | undefined;
	/** Give `store` or `inbox`, not both. */
	inbox?: undefined;
}

/** The handlers' own database remembers the events, in the handlers' transactions. */
export interface WithInbox<Transaction> {
	/** Records each event in the transaction of your handler, instead of `store`. Both commit, or neither. */
	inbox: Inbox<Transaction>;
	/** Give `store` or `inbox`, not both. */
	store?: undefined;
	/** With an inbox, leave it out: `maxHandlerMs` limits the transaction. */
	leaseMs?: undefined;
}

/** The options of `createWebhookHandler`: either `store` or `inbox`, either `on` or `enqueue`, and settings. */
export type WebhookHandlerOptions<Transaction = unknown> = (
	| (Flat<WithInbox<Transaction>> &
			(Flat<WithHandlers<InboxContext<Transaction>>> | Flat<WithQueue<InboxContext<Transaction>>>))
	| (Flat<WithStore<Transaction>> & (Flat<WithHandlers> | Flat<WithQueue>))
) &
	WebhookHandlerSettings;

type Defaulted =
	| "consumer"
	| "toleranceSeconds"
	| "maxBodyBytes"
	| "maxHandlerMs"
	| "retentionMs"
	| "storeTimeoutMs"
	| "clock";

export type ResolvedHandlerOptions = Omit<WebhookHandlerSettings, Defaulted | "onError"> & {
	readonly [Name in Defaulted]-?: NonNullable<WebhookHandlerSettings[Name]>;
} & { readonly leaseMs: number; readonly reportProblem: Reporter };

const OPTION_NAMES: readonly (keyof WebhookHandlerSettings | keyof WithStore | "on" | "enqueue")[] = [
	"secret",
	"store",
	"inbox",
	"consumer",
	"on",
	"enqueue",
	"onError",
	"hooks",
	"toleranceSeconds",
	"maxBodyBytes",
	"leaseMs",
	"maxHandlerMs",
	"retentionMs",
	"storeTimeoutMs",
	"clock",
	"profile",
];

/** What to write in place of an option that the handler does not have. */
const REPLACED_OPTIONS: Readonly<Record<string, string>> = {
	bindDelivery: "every delivery is bound to the first event id that comes with it, so leave it out",
	methods:
		"the handler accepts every method whose requests have a body; to accept fewer, check the method in your route",
};

const HOOK_NAMES = ["aroundHandler", "onResponse"] as const;

const KINDS: readonly (keyof EventHandlers)[] = ["inbound_message", "inbound_reaction", "status", "unknown"];

const LIMITS = ["maxBodyBytes", "leaseMs", "maxHandlerMs", "retentionMs", "storeTimeoutMs"] as const;

/**
 * Checks the options and fills in the defaults. The secret is left for the first delivery.
 * @throws ConfigurationError if one is missing or invalid.
 */
export function resolveHandlerOptions<Transaction>(
	options: WebhookHandlerOptions<Transaction>,
): ResolvedHandlerOptions {
	assertOptions(options);
	const resolved: ResolvedHandlerOptions = {
		...options,
		secret: copyWebhookSecret(options.secret),
		consumer: options.consumer ?? "default",
		toleranceSeconds: options.toleranceSeconds ?? 300,
		maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
		leaseMs: options.leaseMs ?? 15_000,
		maxHandlerMs: options.maxHandlerMs ?? 300_000,
		retentionMs: options.retentionMs ?? 7 * 24 * 60 * 60 * 1000,
		storeTimeoutMs: options.storeTimeoutMs ?? STORE_TIMEOUT_MS,
		clock: options.clock ?? systemClock,
		reportProblem: createReporter(options.onError),
	};
	assertConsistent(resolved, options);
	return resolved;
}

/** Checks what would otherwise fail, or be ignored, only when a delivery arrives. */
function assertOptions<Transaction>(options: WebhookHandlerOptions<Transaction>): void {
	assertArgument("createWebhookHandler", "options", "{ store, on }", options);
	const { on, enqueue, onError, hooks = {}, clock, secret, toleranceSeconds, profile } = options;
	assertAll([
		() => assertKnownKeys("options", options, OPTION_NAMES, REPLACED_OPTIONS),
		() => assertRecords(options),
		() => assertTolerance(toleranceSeconds),
		() => assertReceiver(on, enqueue),
		// An event of a kind without a handler is acknowledged, so a misspelt kind would silently lose events.
		() => assertKnownKeys("on", on ?? {}, KINDS),
		...KINDS.map((kind) => () => assertFunction(`on.${kind}`, Object(on)[kind])),
		() => assertKnownKeys("hooks", hooks, HOOK_NAMES),
		...HOOK_NAMES.map((name) => () => assertFunction(`hooks.${name}`, Object(hooks)[name])),
		() => assertFunction("onError", onError),
		() => assertFunction("profile.events.decode", decoderOf(profile)),
		() => assertMethods("clock", clock, ["now", "setTimer"]),
		...LIMITS.map((name) => () => assertPositive(name, options[name] ?? 1)),
		() => assertConsumer(options.consumer),
		() => assertSecret(secret),
	]);
}

function assertTolerance(toleranceSeconds: unknown): void {
	if (toleranceSeconds === undefined || isTolerance(toleranceSeconds, MAX_BOUND_TOLERANCE_SECONDS)) return;
	throw new ConfigurationError(
		`toleranceSeconds must be 0 to ${MAX_TOLERANCE_SECONDS} seconds with memoryStore, or 0 to ${MAX_BOUND_TOLERANCE_SECONDS} with another store`,
	);
}

/** Exactly one of handlers and a queue gets the events, those of unknown kinds included. */
function assertReceiver(on: unknown, enqueue: unknown): void {
	if (enqueue !== undefined && on !== undefined)
		throw new ConfigurationError("Give either on or enqueue, not both");
	if (enqueue === undefined && on === undefined)
		throw new ConfigurationError("Add on, or enqueue: without it every event would be acknowledged unseen");
	assertFunction("enqueue", enqueue);
	if (typeof on === "object" && Object(on).unknown === undefined) {
		throw new ConfigurationError(
			"on.unknown is missing: events that this version doesn't know would be acknowledged and lost. Add unknown: ({ eventId }, { readBody }) => …, and save what readBody() returns",
		);
	}
}

function assertConsumer(consumer: unknown): void {
	if (consumer === undefined || (typeof consumer === "string" && /^[\w.-]{1,64}$/.test(consumer))) return;
	throw new ConfigurationError("consumer must be 1 to 64 letters, digits, dots, underscores or hyphens");
}

function assertSecret(secret: unknown): void {
	if (typeof secret !== "object" || secret === null || Array.isArray(secret) || viewBytes(secret)) return;
	if (typeof Reflect.get(secret, "fromPlatform") === "function") return;
	throw new ConfigurationError(
		"secret must be a string, bytes, a list, a function, or an object with the function fromPlatform",
	);
}

/** Exactly one of a store and an inbox remembers the events. */
function assertRecords({ store, inbox, leaseMs }: Partial<WithStore> | Partial<WithInbox<unknown>>): void {
	if (inbox !== undefined) {
		if (store !== undefined) throw new ConfigurationError("Give either store or inbox, not both");
		if (leaseMs !== undefined) {
			throw new ConfigurationError(
				"leaseMs is for a store: an inbox holds an event for maxHandlerMs at most",
			);
		}
		if (hasMethods(inbox, ["run"])) return;
		throw new ConfigurationError(`inbox must be what postgresInbox(pool) returns${describeGiven(inbox)}`);
	}
	if (store === undefined) {
		throw new ConfigurationError(
			"store is required. Use memoryStore() in development, and redisStore, postgresStore, … in production",
		);
	}
	if (hasMethods(store, ["claim", "extend", "complete", "release"])) return;
	throw new ConfigurationError(
		`store must be what memoryStore(), redisStore(fromNodeRedis(client)) or another store returns${describeGiven(store)}`,
	);
}

function assertConsistent(
	options: ResolvedHandlerOptions,
	{ store }: { store?: EventStore | undefined },
): void {
	const { retentionMs, maxHandlerMs, leaseMs, toleranceSeconds } = options;
	// A record must not end while its handler runs, nor while a delivery is bound to its event.
	const runMs = maxHandlerMs + leaseMs;
	const boundMs = bindingMs(toleranceSeconds);
	if (retentionMs < Math.max(runMs, boundMs)) {
		throw new ConfigurationError(
			`retentionMs must be at least ${Math.max(runMs, boundMs)}, ${runMs < boundMs ? "because toleranceSeconds accepts a copy for that long" : "which is maxHandlerMs + leaseMs"}`,
		);
	}
	if (toleranceSeconds > MAX_TOLERANCE_SECONDS) assertLasting(store);
}

/** A store in memory would be full of the deliveries of so long a time, and forget them on a restart. */
function assertLasting(store: EventStore | undefined): void {
	if (store === undefined || !isInMemory(store)) return;
	throw new ConfigurationError(
		`toleranceSeconds above ${MAX_TOLERANCE_SECONDS} needs a store other than memoryStore, which can't hold that many deliveries, and forgets them on a restart`,
	);
}
