import { runAround } from "../around.ts";
import { describeForeignError } from "../identity.ts";
import { sha256Hex } from "../signing/hash.ts";
import { describeStoreFailure, StoreError } from "../store-calls/store-error.ts";
import type { DeliveryBinding } from "../stores/event-store.ts";
import type { Payload } from "./event-fields.ts";
import type { ReadEvent, WebhookEvent } from "./events.ts";
import type {
	EventHandler,
	HandlerEnding,
	HandlerRunInfo,
	Handling,
	ResolvedHandlerOptions,
} from "./handler-options.ts";
import { PermanentWebhookError } from "./permanent-error.ts";
import type { RawBody } from "./read-body.ts";
import { createReport, NOT_ACKNOWLEDGED, type Report, type Reporter } from "./report.ts";
import { isEventId } from "./verify-signature.ts";
import { respondWith, type WebhookResponse } from "./webhook-response.ts";

/** A delivery whose signature is right. */
export interface VerifiedDelivery {
	/** It has the id that came with the delivery, until {@link nameEvent} gives it the bound one. */
	event: WebhookEvent;
	readonly received: Payload;
	readonly body: RawBody;
	readonly tenant: string | undefined;
	/** Consumer and tenant: the prefix of the event's id in the store's keys. */
	readonly scope: string;
	/** How long it is bound to its event id: as long as a copy of it can be accepted. */
	readonly boundForMs: number;
	/** The response waits for what it reports. */
	readonly reportProblem: Reporter;
}

/** A verified event under its bound id, to be run once. */
export interface Job {
	readonly event: WebhookEvent;
	readonly body: RawBody;
	readonly tenant: string | undefined;
	/** Identifies the event: consumer, tenant and event id. */
	readonly key: string;
	readonly options: ResolvedHandlerOptions;
	readonly report: Report;
}

/** A way of running each event once: under the claim of a store, or in a transaction of an inbox. */
export interface EventRunner {
	/**
	 * Finds the delivery's bound id, runs the event's handler unless that is done or under way, and returns the response to
	 * the sender: the event is acknowledged only when its handler has finished. Never rejects.
	 */
	run(delivery: VerifiedDelivery): Promise<WebhookResponse>;
	/** Does what a delivery does, for no event. Rejects with the store's error. */
	ready(): Promise<void>;
}

/** A key of no event: no event id has a space. */
export function readyKey({ consumer }: ResolvedHandlerOptions): string {
	return `${consumer}: ready`;
}

/** The event of a delivery, under the id that it has by now. */
export function toJob(delivery: VerifiedDelivery, options: ResolvedHandlerOptions): Job {
	const { event, body, tenant } = delivery;
	return { event, body, tenant, key: keyOf(delivery), options, report: createReport(delivery, event) };
}

/** The event's key in the store, under the id that it has by now. */
export function keyOf({ event, scope }: VerifiedDelivery): string {
	return `${scope}:${event.eventId}`;
}

/**
 * What binds a delivery to the first event id that comes with it, since the signature does not cover the id. The delivery
 * is identified by what was signed, not by its signature: during a rotation it has several.
 */
export function bindingOf(delivery: VerifiedDelivery): DeliveryBinding {
	const { event, scope, body, boundForMs } = delivery;
	const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
	const signedAt = identifiesItself(delivery) ? "any" : event.timestamp;
	return { digest: `${scope}:${signedAt}.${sha256Hex(bytes)}`, ttlMs: boundForMs };
}

/**
 * Gives a delivery's event the id of the key that it is bound to: a copy of it under another id is the same event.
 * @throws StoreError if it is no key of this receiver's.
 */
export function nameEvent(delivery: VerifiedDelivery, boundKey: string | undefined): void {
	if (boundKey === undefined || boundKey === keyOf(delivery)) return;
	const prefix = keyOf({ ...delivery, event: { ...delivery.event, eventId: "" } });
	const eventId = boundKey.slice(prefix.length);
	if (!boundKey.startsWith(prefix) || !isEventId(eventId))
		throw new StoreError("its bound key must be one that was given with the delivery before");
	delivery.event = { ...delivery.event, eventId };
}

/**
 * Whether equal bytes mean the same event, also if they were signed at another time: a gateway may sign each retry again
 * and give it a new id (section 6.1 does not show it). An inbound message has its own id, if the gateway wrote it: one
 * that a decoder made up may be the same for two equal texts. A reaction that is removed and added again, or a status
 * that comes back, may have equal bytes as well, and must not be lost.
 */
function identifiesItself({ event, received }: ReadEvent): boolean {
	return event.kind === "inbound_message" && received["messageId"] === event.data.messageId;
}

/** Does the work of an event. */
type Work<Context> = (context: Context) => unknown;

/** Chooses by the event's kind and the options; `undefined` for a known kind without a handler: there is nothing to do. */
export function chooseWork<Context>(
	event: WebhookEvent,
	{ enqueue, on }: Handling<Context>,
): Work<Context> | undefined {
	if (enqueue !== undefined) return (context) => enqueue(event, context);
	// Each branch narrows the event and its handler alike.
	const bind = <Event extends WebhookEvent>(
		handler: EventHandler<Event, Context> | undefined,
		narrowed: Event,
	) => handler && ((context: Context) => handler(narrowed, context));
	switch (event.kind) {
		case "inbound_message":
			return bind(on.inbound_message, event);
		case "inbound_reaction":
			return bind(on.inbound_reaction, event);
		case "status":
			return bind(on.status, event);
		case "unknown":
			// Required at set-up. If it was removed since, this throws: the event is not acknowledged.
			return (context) => on.unknown(event, context);
	}
}

/** Runs a handler inside the hook, if there is one. A promise only if there is something to wait for. */
export function runInHook(
	{ event, body, tenant, options, report }: Job,
	attempt: number | undefined,
	run: () => HandlerEnding | Promise<HandlerEnding>,
): HandlerEnding | Promise<HandlerEnding> {
	const hook = options.hooks?.aroundHandler;
	if (hook === undefined) return run();
	const { eventId, kind, timestamp } = event;
	const info: HandlerRunInfo = { eventId, kind, consumer: options.consumer, attempt };
	return runAround(
		(about: HandlerRunInfo, start: () => Promise<HandlerEnding>) =>
			hook(about, start, { body, timestamp, tenant }),
		{
			info,
			run: async () => run(),
			describe: (settled): HandlerEnding =>
				settled.status === "fulfilled" ? settled.value : { kind: "failed", error: settled.reason },
			onFailure: (error) =>
				report("hook_failed", error, "hooks.aroundHandler failed; the handler runs without it"),
		},
	);
}

/**
 * Reports what a handler threw.
 * @param attempt - 1 for the first run for this event.
 * @returns whether it gave the event up, which is acknowledged then.
 */
export function reportFailure(report: Report, error: unknown, attempt = 1): boolean {
	const isGivenUp = error instanceof PermanentWebhookError;
	if (isGivenUp) report("event_given_up", error, "the handler gave the event up; it is acknowledged");
	else report("handler_failed", error, `${describeHandlerFailure(error, attempt)}; ${NOT_ACKNOWLEDGED}`);
	return isGivenUp;
}

/** From this attempt on, a failing event is likely one that never succeeds. */
const SUSPICIOUS_ATTEMPT = 3;

function describeHandlerFailure(error: unknown, attempt: number): string {
	const foreign = describeForeignError(error);
	if (foreign !== undefined) return `the handler failed: ${foreign}`;
	if (attempt < SUSPICIOUS_ATTEMPT) return "the handler failed";
	return `the handler failed in attempt ${attempt}: for an event that can never succeed, throw PermanentWebhookError, which acknowledges it`;
}

/** When the sender may try again if the store gives no time. */
export const RETRY_MS = 5_000;

/** Responds if what remembers the events failed: nothing is acknowledged. */
export function storeUnavailable(report: Report, error: unknown): WebhookResponse {
	reportStoreFailure(report, error);
	return respondWith(503, "store_unavailable", RETRY_MS);
}

export function reportStoreFailure(report: Report, error: unknown): void {
	report("store_unavailable", error, `the store failed: ${describeStoreFailure(error)}; ${NOT_ACKNOWLEDGED}`);
}
