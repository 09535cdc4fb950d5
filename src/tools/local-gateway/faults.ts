import type { OperationId } from "../../library/catalogue/index.ts";
import { assertOneOf } from "../../library/check-options.ts";
import { ConfigurationError } from "../../library/errors.ts";
import { assertFault, Countdown, describeTimes, FILTER, type Times } from "./countdown.ts";
import { assertNotNegative } from "./settings.ts";
import { WebhookFaultPlan, type WebhookFaults } from "./webhook-faults.ts";

/** Which requests a fault affects. */
export interface FaultFilter extends Times {
	/** Only requests of this operation. */
	operationId?: OperationId | undefined;
}

/** A response instead of the gateway's own. */
export interface FaultResponse extends FaultFilter {
	/** The HTTP status. */
	status: number;
	/** The `Retry-After` header, in seconds. */
	retryAfterSeconds?: number | undefined;
	/**
	 * The body: a string as it is, any other value as JSON.
	 * @default an error envelope
	 */
	body?: unknown | undefined;
	/** Further headers. */
	headers?: Readonly<Record<string, string>> | undefined;
}

/** A connection that breaks before or after the gateway processes the request. */
export interface DroppedConnection extends FaultFilter {
	/** Before the gateway sees the request, or after it processed it. */
	when: "before" | "after";
}

/** A corrupt response to a request that was processed. */
export interface CorruptResponse extends FaultFilter {
	/** An HTML page as proxies send it, truncated JSON, or no body. */
	as: "html" | "truncated" | "empty";
}

/**
 * Injects faults into requests and deliveries. Each fault affects the next `times` requests. A delay combines with
 * another fault; all others apply one after the other, in the order in which they were added.
 */
export interface Faults {
	/** Delays the next requests by `ms` milliseconds of the gateway's time. */
	delay(ms: number, filter?: FaultFilter): void;
	/** Responds to the next requests before the gateway sees them. */
	respond(response: FaultResponse): void;
	/** Breaks the connection of the next requests: `fetch` rejects. */
	dropConnection(drop: DroppedConnection): void;
	/** Processes the next requests, and corrupts 2xx responses. */
	corrupt(corruption: CorruptResponse): void;
	/** Sets the gateway's clock ahead (back, if negative) for the requests it verifies and the responses it dates. */
	skewClock(ms: number): void;
	/** Faults of deliveries. */
	readonly webhooks: WebhookFaults;
	/** Ends all faults. An agent that is offline stays offline, since that is not a fault. */
	clear(): void;
}

/** The fault of one request. */
export type RequestFault =
	| { readonly kind: "respond"; readonly response: FaultResponse }
	| { readonly kind: "drop"; readonly when: "before" | "after" }
	| { readonly kind: "corrupt"; readonly as: CorruptResponse["as"] };

interface Filtered<Fault> {
	readonly fault: Fault;
	readonly operationId: OperationId | undefined;
}

/** The active faults, for tests that add them and for the gateway that uses them up. */
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

	/** Uses up one delay and one other fault that fit a request of this operation. */
	take(operationId: OperationId | undefined): { delayMs: number; fault: RequestFault | undefined } {
		const fits = (entry: Filtered<unknown>): boolean =>
			entry.operationId === undefined || entry.operationId === operationId;
		return { delayMs: this.#delays.take(fits)?.fault ?? 0, fault: this.#requests.take(fits)?.fault };
	}

	/** The active faults, in words. */
	describe(): string[] {
		const requests = (left: number, { operationId }: Filtered<unknown>): string =>
			describeTimes(left, "request") + (operationId === undefined ? "" : ` of ${operationId}`);
		const side = this.#skewMs > 0 ? "ahead" : "behind";
		return [
			...this.#delays.entries.map(({ item, left }) => `${requests(left, item)}: delayed by ${item.fault} ms`),
			...this.#requests.entries.map(
				({ item, left }) => `${requests(left, item)}: ${describeRequestFault(item.fault)}`,
			),
			...(this.#skewMs === 0 ? [] : [`all requests: the clock is ${Math.abs(this.#skewMs)} ms ${side}`]),
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
			delay: (ms, filter = {}, ...others: unknown[]) => {
				assertFault("faults.delay", filter, FILTER, others);
				assertNotNegative("a delay in milliseconds", ms);
				this.#delays.add({ fault: ms, operationId: filter.operationId }, filter);
			},
			respond: (response, ...others: unknown[]) => {
				const fields = ["status", "retryAfterSeconds", "body", "headers", ...FILTER];
				assertFault("faults.respond", response, fields, others);
				if (!Number.isInteger(response.status) || response.status < 200 || response.status > 599) {
					throw new ConfigurationError("status must be an HTTP status from 200 to 599");
				}
				this.#add({ kind: "respond", response }, response);
			},
			dropConnection: (drop, ...others: unknown[]) => {
				assertFault("faults.dropConnection", drop, ["when", ...FILTER], others);
				assertOneOf("dropConnection: when", drop.when, ["before", "after"]);
				this.#add({ kind: "drop", when: drop.when }, drop);
			},
			corrupt: (corruption, ...others: unknown[]) => {
				assertFault("faults.corrupt", corruption, ["as", ...FILTER], others);
				assertOneOf("corrupt: as", corruption.as, ["html", "truncated", "empty"]);
				this.#add({ kind: "corrupt", as: corruption.as }, corruption);
			},
			skewClock: (ms, ...others: unknown[]) => {
				assertFault("faults.skewClock", {}, [], others);
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
			return `response with status ${fault.response.status}`;
		case "drop":
			return `the connection breaks ${fault.when} it is processed`;
		case "corrupt":
			return `processed, and the response is ${CORRUPTIONS[fault.as]}`;
	}
}

const CORRUPTIONS = { html: "an HTML page", truncated: "truncated", empty: "empty" } as const;
