import { isDeepStrictEqual } from "node:util";
import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import type { LocalGateway } from "messaging-gateway/testing";
import {
	createWebhookHandler,
	type EventStore,
	type WebhookEvent,
	type WebhookHandler,
	type WebhookHandlerOptions,
} from "messaging-gateway/webhooks";

/** An event as the application has processed it. */
interface Processed {
	readonly kind: WebhookEvent["kind"];
	readonly data: Readonly<Record<string, unknown>>;
	/** The fields that the gateway wrote otherwise. */
	readonly filled: readonly string[];
}

/** How the application is set up. */
export interface CarefulAppOptions {
	readonly clientOptions?: ClientOptions;
	readonly store: EventStore;
	/** Whether events wait in a queue before they are processed. */
	readonly isQueued?: boolean;
	/** Whether the first run for each event fails. */
	readonly failsFirst?: boolean;
}

/** An application that does what the guide "Will it work against the real gateway?" says. */
export interface CarefulApp {
	readonly gateway: MessagingGateway;
	readonly webhooks: WebhookHandler;
	/** The processed events, in the order of their processing. */
	readonly processed: readonly Processed[];
	/** The errors that the handler reported. */
	readonly errors: readonly unknown[];
	/** Processes the queue until it is empty. */
	work(): void;
}

/** Creates the application for a gateway; its handler has the gateway's profile and clock. */
export function createCarefulApp(local: LocalGateway, options: CarefulAppOptions): CarefulApp {
	const { clientOptions = local.clientOptions, store, isQueued = false, failsFirst = false } = options;
	const processed: Processed[] = [];
	const errors: unknown[] = [];
	const queue = new Map<string, WebhookEvent>();
	const failed = new Set<string>();

	/** An event that is not as documented has its kind, and what of it is as documented, in `narrowed`. */
	function process(event: WebhookEvent): void {
		const content = JSON.stringify(event.data);
		if (failsFirst && !failed.has(content)) {
			failed.add(content);
			throw new Error("the first run fails");
		}
		const kind = event.kind === "unknown" ? (event.narrowed?.kind ?? "unknown") : event.kind;
		processed.push({ kind, data: { ...event.data }, filled: event.filled });
	}

	const work: Pick<WebhookHandlerOptions, "on" | "enqueue"> = isQueued
		? { enqueue: (event: WebhookEvent) => void queue.set(event.eventId, event) }
		: { on: { inbound_message: process, inbound_reaction: process, status: process, unknown: process } };
	return {
		gateway: new MessagingGateway(clientOptions),
		webhooks: createWebhookHandler({
			...work,
			secret: local.webhookSecret,
			store,
			clock: local.clock,
			profile: local.clientOptions.profile,
			onError: (error) => errors.push(error),
		} as WebhookHandlerOptions),
		processed,
		errors,
		work() {
			for (const [eventId, event] of queue) {
				try {
					process(event);
					queue.delete(eventId);
				} catch {
					// It stays in the queue, behind the others.
					queue.delete(eventId);
					queue.set(eventId, event);
				}
			}
		},
	};
}

/** How often each delivered payload was processed, with all of its fields. */
export function countRuns(local: LocalGateway, { processed }: CarefulApp): number[] {
	return local.deliveries.map(({ body }) => {
		const fields = Object.entries(JSON.parse(body));
		return processed.filter(({ data, filled }) =>
			fields.every(([name, value]) => filled.includes(name) || isDeepStrictEqual(data[name], value)),
		).length;
	});
}

/** A receiver whose first acknowledgement of each payload is lost on the way. */
export function losingAcknowledgements(receive: (request: Request) => Promise<Response>) {
	const lost = new Set<string>();
	return async (request: Request): Promise<Response> => {
		const body = await request.clone().text();
		const response = await receive(request);
		if (!response.ok || lost.has(body)) return response;
		lost.add(body);
		throw new TypeError("the connection broke");
	};
}
