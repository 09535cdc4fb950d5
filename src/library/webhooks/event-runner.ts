import type { WebhookEvent } from "./events.ts";
import type { ResolvedHandlerOptions } from "./handler-options.ts";
import type { Report } from "./report.ts";
import type { WebhookResponse } from "./webhook-response.ts";

/** A verified event under its bound id, to be run once. */
export interface Job {
	readonly event: WebhookEvent;
	readonly tenant: string | undefined;
	/** Identifies the event: consumer, tenant and event id. */
	readonly key: string;
	readonly options: ResolvedHandlerOptions;
	readonly report: Report;
}

/** A way of running each event once: under the claim of a store, or in a transaction of an inbox. */
export interface EventRunner {
	/** Binds a delivery to the first event id that comes with it. */
	bind(digest: string, eventId: string, ttlMs: number): Promise<string>;
	/** Runs the event's handler unless that is done or under way, and returns the response. Never rejects. */
	run(job: Job): Promise<WebhookResponse>;
}
