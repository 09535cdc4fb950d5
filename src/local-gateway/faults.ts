import type { OperationId } from "../catalogue/index.ts";
import { assertOneOf } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { Countdown, describeTimes, type Times } from "./countdown.ts";
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
	/** Before the gateway sees the request, or after it was carried out. */
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
	readonly webhooks: WebhookFaultPlan;
	readonly controls: Faults;
	readonly #delays: Countdown<Filtered<number>>;
	readonly #requests: Countdown<Filtered<RequestFault>>;
	readonly #onChange: () => void;
	#skewMs = 0;

	constructor(onChange: () => void) {
		this.webhooks = new WebhookFaultPlan(onChange);
		this.#delays = new Countdown(onChange);
		this.#requests = new Countdown(onChange);
		this.#onChange = onChange;
		this.controls = this.#createControls();
	}

	/** How far the gateway's clock is ahead. */
	get skewMs(): number {
		return this.#skewMs;
	}

	/** Uses up what strikes a request of this operation. */
	take(operationId: OperationId | undefined): { delayMs: number; fault: RequestFault | undefined } {
		const fits = (entry: Filtered<unknown>): boolean =>
			entry.operationId === undefined || entry.operationId === operationId;
		return { delayMs: this.#delays.take(fits)?.fault ?? 0, fault: this.#requests.take(fits)?.fault };
	}

	/** What is asked for, in words. */
	describe(): string[] {
		const requests = (left: number, { operationId }: Filtered<unknown>): string =>
			describeTimes(left, "request") + (operationId === undefined ? "" : ` of ${operationId}`);
		return [
			...this.#delays.entries.map(
				({ item, left }) => `${requests(left, item)}: answered ${item.fault} ms late`,
			),
			...this.#requests.entries.map(
				({ item, left }) => `${requests(left, item)}: ${describeRequestFault(item.fault)}`,
			),
			...(this.#skewMs === 0 ? [] : [`all requests: the clock is ${describeSkew(this.#skewMs)}`]),
			...this.webhooks.describe(),
		];
	}

	clear(): void {
		this.#delays.clear();
		this.#requests.clear();
		this.webhooks.clear();
		this.#setSkew(0);
	}

	#createControls(): Faults {
		return {
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
				this.#setSkew(ms);
			},
			webhooks: this.webhooks.controls,
			clear: () => this.clear(),
		};
	}

	#setSkew(ms: number): void {
		if (ms === this.#skewMs) return;
		this.#skewMs = ms;
		this.#onChange();
	}

	#add(fault: RequestFault, filter: FaultFilter): void {
		this.#requests.add({ fault, operationId: filter.operationId }, filter);
	}
}

function describeRequestFault(fault: RequestFault): string {
	switch (fault.kind) {
		case "respond":
			return `answered with status ${fault.response.status}`;
		case "drop":
			return `the connection breaks ${fault.when} it is carried out`;
		case "corrupt":
			return `carried out, and the answer is ${CORRUPTIONS[fault.as]}`;
	}
}

const CORRUPTIONS = { html: "a page", truncated: "cut off", empty: "empty" } as const;

function describeSkew(ms: number): string {
	return `${Math.abs(ms)} ms ${ms > 0 ? "ahead" : "behind"}`;
}
