import type { OperationId } from "../catalogue/index.ts";
import { assertOneOf } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { Countdown, type Times } from "./countdown.ts";
import { assertNotNegative } from "./settings.ts";
import { WebhookFaultPlan, type WebhookFaults } from "./webhook-faults.ts";

/** Which requests a fault strikes. */
export interface FaultFilter extends Times {
	/** Only requests of this operation. */
	operationId?: OperationId | undefined;
}

/** An answer to give instead of the gateway's own. */
export interface FaultResponse extends FaultFilter {
	/** The HTTP status. */
	status: number;
	/** The `Retry-After` header, in seconds. */
	retryAfterSeconds?: number | undefined;
	/**
	 * The body: a text as it is, anything else as JSON.
	 * @default an error envelope
	 */
	body?: unknown | undefined;
	/** Further headers. */
	headers?: Readonly<Record<string, string>> | undefined;
}

/** A connection that breaks: before the gateway has seen the request, or after it was carried out. */
export interface DroppedConnection extends FaultFilter {
	when: "before" | "after";
}

/** An answer that arrives broken, after the request was carried out. */
export interface CorruptResponse extends FaultFilter {
	/** A page as proxies show it, JSON that is cut off, or nothing. */
	as: "html" | "truncated" | "empty";
}

/**
 * Makes requests and deliveries go wrong. Each fault strikes the next `times` requests; delays add to the
 * others, which take their turns in the order in which they were asked for.
 */
export interface Faults {
	/** Answers the next requests `ms` milliseconds late, in the gateway's time. */
	delay(ms: number, filter?: FaultFilter): void;
	/** Answers the next requests itself, before the gateway sees them. */
	respond(response: FaultResponse): void;
	/** Breaks the connection of the next requests: `fetch` rejects. */
	dropConnection(drop: DroppedConnection): void;
	/** Carries the next requests out, and spoils the answer where it is a 2xx. */
	corrupt(corruption: CorruptResponse): void;
	/** Sets the gateway's clock ahead (or back, when negative), as requests and their answers see it. */
	skewClock(ms: number): void;
	/** Faults of deliveries. */
	readonly webhooks: WebhookFaults;
	/** Ends all faults. An agent that is offline stays so. */
	clear(): void;
}

/** What happens to one request instead of, or after, its being carried out. */
export type RequestFault =
	| { readonly kind: "respond"; readonly response: FaultResponse }
	| { readonly kind: "drop"; readonly when: "before" | "after" }
	| { readonly kind: "corrupt"; readonly as: CorruptResponse["as"] };

interface Filtered<Fault> {
	readonly fault: Fault;
	readonly operationId: OperationId | undefined;
}

/** The faults that are asked for, and their use by the gateway. */
export class FaultPlan {
	readonly webhooks = new WebhookFaultPlan();
	readonly #delays = new Countdown<Filtered<number>>();
	readonly #requests = new Countdown<Filtered<RequestFault>>();
	/** How far the gateway's clock is ahead. */
	skewMs = 0;

	readonly controls: Faults = {
		delay: (ms, filter = {}) => {
			assertNotNegative("a delay in milliseconds", ms);
			this.#delays.add({ fault: ms, operationId: filter.operationId }, filter);
		},
		respond: (response) => {
			if (!Number.isInteger(response.status) || response.status < 200 || response.status > 599) {
				throw new ConfigurationError("status must be an HTTP status from 200 to 599");
			}
			this.#add({ kind: "respond", response }, response);
		},
		dropConnection: (drop) => {
			assertOneOf("dropConnection: when", drop.when, ["before", "after"]);
			this.#add({ kind: "drop", when: drop.when }, drop);
		},
		corrupt: (corruption) => {
			assertOneOf("corrupt: as", corruption.as, ["html", "truncated", "empty"]);
			this.#add({ kind: "corrupt", as: corruption.as }, corruption);
		},
		skewClock: (ms) => {
			if (!Number.isFinite(ms)) throw new ConfigurationError("a skew must be a number of milliseconds");
			this.skewMs = ms;
		},
		webhooks: this.webhooks.controls,
		clear: () => this.clear(),
	};

	/** Uses up what strikes a request of this operation. */
	take(operationId: OperationId | undefined): { delayMs: number; fault: RequestFault | undefined } {
		const fits = (entry: Filtered<unknown>): boolean =>
			entry.operationId === undefined || entry.operationId === operationId;
		return { delayMs: this.#delays.take(fits)?.fault ?? 0, fault: this.#requests.take(fits)?.fault };
	}

	clear(): void {
		this.#delays.clear();
		this.#requests.clear();
		this.webhooks.clear();
		this.skewMs = 0;
	}

	#add(fault: RequestFault, filter: FaultFilter): void {
		this.#requests.add({ fault, operationId: filter.operationId }, filter);
	}
}
