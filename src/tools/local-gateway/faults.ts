import type { OperationId } from "../../library/catalogue/index.ts";
import { assertOneOf } from "../../library/check-options.ts";
import { ConfigurationError } from "../../library/errors.ts";
import { assertFault, Countdown, describeTimes, FAULT_FILTER, type Times } from "./countdown.ts";
import { describeRequestFault, type RequestFaultChoice } from "./fault-kinds.ts";
import { assertNotNegative } from "./settings.ts";
import { createWebhookFaults, WebhookFaultPlan, type WebhookFaults } from "./webhook-faults.ts";

/** Selects the requests that a fault affects. */
export interface FaultFilter extends Times {
	/** Affects only requests of this operation. */
	operationId?: OperationId | undefined;
}

/** A response to send instead of the gateway's own. */
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
	/** When the connection breaks: before the gateway sees the request, or after it processed it. */
	when: "before" | "after";
}

/** A corrupt response to a request that was processed. */
export interface CorruptResponse extends FaultFilter {
	/** The form of the response: an HTML page as proxies send it, truncated JSON, or no body. */
	as: "html" | "truncated" | "empty";
}

/**
 * Injects faults into requests and deliveries. Each fault affects the next `times` requests. A delay combines with
 * another fault. All others apply one after the other, in the order in which you added them.
 */
export interface Faults {
	/** Delays the next requests by `ms` milliseconds of the gateway's time. */
	delay(ms: number, filter?: FaultFilter): void;
	/** Responds to the next requests before the gateway sees them. */
	respond(response: FaultResponse): void;
	/** Breaks the connection of the next requests, so `fetch` rejects. */
	dropConnection(drop: DroppedConnection): void;
	/** Processes the next requests, and corrupts their 2xx responses. */
	corrupt(corruption: CorruptResponse): void;
	/**
	 * Repeats the next requests, as browsers and proxies do after a reset. The gateway gets the same bytes, with the
	 * same nonce, once more. The response to the copy arrives by default, as in a browser. Through some proxies the
	 * response to the first one arrives.
	 */
	repeatRequest(repeat?: FaultFilter & { response?: "copy" | "first" | undefined }): void;
	/** Sets the gateway's clock ahead (back, if negative) for the requests it verifies and the responses it dates. */
	skewClock(ms: number): void;
	/** Injects faults into deliveries. */
	readonly webhooks: WebhookFaults;
	/** Ends all faults. An agent that is offline stays offline, since that is not a fault. */
	clear(): void;
}

/** The same, with all that a response in this process can have. */
type LocalFaultChoice =
	| Exclude<RequestFaultChoice, { kind: "respond" }>
	| (Extract<RequestFaultChoice, { kind: "respond" }> & Pick<FaultResponse, "body" | "headers">);

/** A fault that replaces the response of one request, breaks it, or repeats the request. */
export type RequestFault = Exclude<LocalFaultChoice, { kind: "delay" | "skew" }>;

/** The kind of a fault because of which a response is not the gateway's own. */
export type ResponseFaultKind = Exclude<RequestFault["kind"], "repeat">;

/** Adds the fault that `choose` returns; what `choose` throws is the caller's mistake. */
type AddRequestFault<Result, Choice> = (
	choose: () => readonly [fault: Choice, filter: FaultFilter],
) => Result;

/** What each method of {@link Faults} adds, in this process or over HTTP. */
export function createRequestFaults<Result>(
	add: AddRequestFault<Result, LocalFaultChoice>,
	responseFields: readonly string[],
) {
	return {
		delay: (ms: number, filter: FaultFilter = {}, ...others: unknown[]) =>
			add(() => {
				assertFault("faults.delay", filter, FAULT_FILTER, others);
				assertNotNegative("a delay in milliseconds", ms);
				return [{ kind: "delay", ms }, filter];
			}),
		respond: (response: FaultResponse, ...others: unknown[]) =>
			add(() => {
				assertFault("faults.respond", response, [...responseFields, ...FAULT_FILTER], others);
				const { operationId, times, ...parts } = response;
				if (!Number.isInteger(parts.status) || parts.status < 200 || parts.status > 599) {
					throw new ConfigurationError("status must be an HTTP status from 200 to 599");
				}
				return [{ kind: "respond", ...parts }, response];
			}),
		dropConnection: (drop: DroppedConnection, ...others: unknown[]) =>
			add(() => {
				assertFault("faults.dropConnection", drop, ["when", ...FAULT_FILTER], others);
				assertOneOf("dropConnection: when", drop.when, ["before", "after"]);
				return [{ kind: "drop", when: drop.when }, drop];
			}),
		corrupt: (corruption: CorruptResponse, ...others: unknown[]) =>
			add(() => {
				assertFault("faults.corrupt", corruption, ["as", ...FAULT_FILTER], others);
				assertOneOf("corrupt: as", corruption.as, ["html", "truncated", "empty"]);
				return [{ kind: "corrupt", as: corruption.as }, corruption];
			}),
		repeatRequest: (repeat: Parameters<Faults["repeatRequest"]>[0] = {}, ...others: unknown[]) =>
			add(() => {
				assertFault("faults.repeatRequest", repeat, ["response", ...FAULT_FILTER], others);
				const { response = "copy" } = repeat;
				assertOneOf("repeatRequest: response", response, ["copy", "first"]);
				return [{ kind: "repeat", response }, repeat];
			}),
		skewClock: (ms: number, ...others: unknown[]) =>
			add(() => {
				assertFault("faults.skewClock", {}, [], others);
				if (!Number.isFinite(ms)) throw new ConfigurationError("A skew must be a number of milliseconds");
				return [{ kind: "skew", ms }, {}];
			}),
	};
}

interface PlannedFault {
	readonly fault: Exclude<LocalFaultChoice, { kind: "skew" }>;
	readonly operationId: OperationId | undefined;
}

/** The active faults, for tests that add them and for the gateway that uses them up. */
export class FaultPlan {
	readonly webhooks: WebhookFaultPlan;
	readonly controls: Faults;
	readonly #active: Countdown<PlannedFault>;
	readonly #onChange: () => void;
	#skewMs = 0;

	constructor(onChange: () => void) {
		this.webhooks = new WebhookFaultPlan(onChange);
		this.#active = new Countdown(onChange);
		this.#onChange = onChange;
		this.controls = {
			...createRequestFaults(
				(choose) => this.add(...choose()),
				["status", "retryAfterSeconds", "body", "headers"],
			),
			webhooks: createWebhookFaults((choose) => this.webhooks.add(...choose())),
			clear: () => this.clear(),
		};
	}

	/** How far the gateway's clock is ahead. */
	get skewMs(): number {
		return this.#skewMs;
	}

	/** @throws ConfigurationError when `times` is below 1 or not a number. */
	add(fault: LocalFaultChoice, { operationId, times }: FaultFilter): void {
		if (fault.kind === "skew") this.#setSkew(fault.ms);
		else this.#active.add({ fault, operationId }, { times });
	}

	/** Uses up one delay and one other fault that fit a request of this operation. */
	take(operationId: OperationId | undefined): { delayMs: number; fault: RequestFault | undefined } {
		const fits = (planned: PlannedFault): boolean =>
			planned.operationId === undefined || planned.operationId === operationId;
		const delay = this.#active.take((planned): planned is PlannedDelay => fits(planned) && isDelay(planned));
		const other = this.#active.take((planned): planned is PlannedOther => fits(planned) && !isDelay(planned));
		return { delayMs: delay?.fault.ms ?? 0, fault: other?.fault };
	}

	/** The active faults, in words. */
	describe(): string[] {
		const skew = { kind: "skew", ms: this.#skewMs } as const;
		return [
			...this.#active.entries.map(({ item: { fault, operationId }, left }) => {
				const filter = operationId === undefined ? "" : ` of ${operationId}`;
				return `${describeTimes(left, "request")}${filter}: ${describeRequestFault(fault)}`;
			}),
			...(skew.ms === 0 ? [] : [`all requests: ${describeRequestFault(skew)}`]),
			...this.webhooks.describe(),
		];
	}

	clear(): void {
		this.#active.clear();
		this.webhooks.clear();
		this.#setSkew(0);
	}

	#setSkew(ms: number): void {
		if (ms === this.#skewMs) return;
		this.#skewMs = ms;
		this.#onChange();
	}
}

type PlannedDelay = PlannedFault & { readonly fault: { kind: "delay" } };
type PlannedOther = PlannedFault & { readonly fault: RequestFault };

function isDelay(planned: PlannedFault): planned is PlannedDelay {
	return planned.fault.kind === "delay";
}
