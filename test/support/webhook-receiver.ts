import {
	createWebhookHandler,
	type EventHandler,
	type EventHandlers,
	memoryStore,
	type WebhookErrorContext,
	type WebhookEvent,
	type WebhookHandler,
	type WebhookHandlerSettings,
	type WebhookResponse,
	type WithStore,
} from "messaging-gateway/webhooks";
import { type CountingClock, createCountingClock, settle } from "./counting-clock.ts";
import { type ScriptedStore, scriptStore } from "./scripted-store.ts";
import { signedAt, webhookSecret, webhookSignature } from "./webhook-delivery.ts";
import { inboundMessage } from "./webhook-payloads.ts";

/** What differs from a valid delivery of `evt_1`, signed now. */
export interface Delivery {
	method?: string;
	eventId?: string;
	payload?: object;
	/** The raw body, which is signed; by default the payload as JSON. */
	body?: string | Uint8Array;
	/** What the handler gets as body, if that is not what was signed. */
	handedOver?: unknown;
	headers?: Record<string, string | undefined>;
	secret?: string | Uint8Array;
}

/** What most tests compare of a call of `onError`: the rest of its context follows from that. */
export interface Report extends Pick<WebhookErrorContext, "hint" | "eventId" | "timestamp"> {
	readonly error: unknown;
}

export interface Receiver extends ScriptedStore {
	readonly clock: CountingClock;
	readonly handler: WebhookHandler;
	/** The calls of `onError`. */
	readonly reports: Report[];
	/** Adds a call to `reports`. */
	readonly onError: NonNullable<WebhookHandlerSettings["onError"]>;
	/** The headers of a delivery that is signed now. */
	sign(delivery?: Delivery): { body: string | Uint8Array; headers: Record<string, string> };
	/** Delivers; the response comes when time passes as it must. */
	send(delivery?: Delivery): Promise<WebhookResponse>;
	/** Delivers, lets time pass until there is a response, and shows it in one line. */
	respond(delivery?: Delivery): Promise<string>;
	/** The codes of the problems that `onError` got, each with the message of its error. */
	reported(): string[];
}

/** The options of a receiver; without `on.unknown`, one that does nothing stands in. */
export interface ReceiverOptions extends WebhookHandlerSettings, Partial<WithStore> {
	on?: Partial<EventHandlers>;
	enqueue?: EventHandler<WebhookEvent>;
}

/** A receiver on a memory store that can fail, with a clock that only a test moves. */
export function createReceiver(options: ReceiverOptions = {}): Receiver {
	const clock = createCountingClock(signedAt * 1000);
	const { on = {}, enqueue, ...settings } = options;
	const scripted = scriptStore(memoryStore({ clock }));
	const reports: Report[] = [];
	const problems: string[] = [];
	const onError = (error: unknown, context: WebhookErrorContext) => {
		const { code, kind, tenant, attempt, line, ...rest } = context;
		reports.push({ error, ...rest });
		problems.push(`${code}: ${error instanceof Error ? error.message : String(error)}`);
	};
	const handler = createWebhookHandler({
		secret: webhookSecret,
		store: scripted.store,
		clock,
		onError,
		...settings,
		...(enqueue === undefined ? { on: { unknown: () => undefined, ...on } } : { enqueue }),
	});

	function sign(delivery: Delivery = {}) {
		const { eventId = "evt_1", payload = { ...inboundMessage, messageId: eventId }, secret } = delivery;
		const { body = JSON.stringify(payload) } = delivery;
		const timestamp = Math.floor(clock.now() / 1000);
		const headers: Record<string, string | undefined> = {
			"x-svc-event-id": eventId,
			"x-svc-timestamp": String(timestamp),
			"x-svc-signature": `v1=${webhookSignature(body, secret, timestamp)}`,
			...delivery.headers,
		};
		const given = Object.entries(headers).filter(
			(entry): entry is [string, string] => entry[1] !== undefined,
		);
		return { body, headers: Object.fromEntries(given) };
	}

	async function send(delivery: Delivery = {}): Promise<WebhookResponse> {
		const { body, headers } = sign(delivery);
		const { method, handedOver = body } = delivery;
		return handler.handle({ headers, body: handedOver, ...(method === undefined ? {} : { method }) });
	}

	return {
		...scripted,
		clock,
		handler,
		reports,
		onError,
		sign,
		send,
		respond: async (delivery) => showResponse(await settle(clock, send(delivery), 5_000)),
		reported: () => [...problems],
	};
}

/** A response in one line, such as `503 in_flight, again in 60 s`. */
export function showResponse({ status, body, headers }: WebhookResponse): string {
	const again = headers["Retry-After"];
	return `${status} ${body}`.trim() + (again === undefined ? "" : `, again in ${again} s`);
}

/** A handler that runs until the test ends it; `runs` counts its starts. */
export function pendingHandler() {
	const runs: { attempt: number; token: number; signal: AbortSignal }[] = [];
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	promise.catch(() => undefined);
	const handle = (_event: unknown, context: (typeof runs)[number]): Promise<void> => {
		runs.push(context);
		return promise;
	};
	return { handle, runs, finish: () => resolve(), fail: (error: unknown) => reject(error) };
}
