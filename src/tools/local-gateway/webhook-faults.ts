import { assertOneOf, assertPositiveInteger } from "../../library/check-options.ts";
import { assertFault, Countdown, describeTimes, type Times } from "./countdown.ts";
import { describeWebhookFault, type WebhookFaultChoice } from "./fault-kinds.ts";
import { assertNotNegative } from "./settings.ts";

/** Injects faults into deliveries. Faults of the same delivery combine. */
export interface WebhookFaults {
	/**
	 * Delivers the next event `times` more times after it was acknowledged. They have the same event id, except under
	 * the reading "each retry has a new event id".
	 */
	repeat(options?: Times): void;
	/**
	 * Repeats the next attempts on the network, as proxies do. The receiver gets the same bytes with the same signature
	 * once more, and the gateway knows of one attempt. Both arrive at once, or the copy `delayMs` milliseconds later by
	 * the gateway's clock. By default the gateway gets the response to the copy, for which it waits ten seconds at
	 * most.
	 */
	repeatAttempt(
		repeat?: Times & { response?: "copy" | "first" | undefined; delayMs?: number | undefined },
	): void;
	/** Delays the next deliveries by `ms` milliseconds each. */
	delay(ms: number, options?: Times): void;
	/** Swaps the next two deliveries of one message. If no second one comes, the first is a minute late. */
	outOfOrder(options?: Times): void;
	/** Changes the body of the next attempts after it was signed. */
	tamper(options?: Times): void;
	/** Signs the next attempts with a timestamp that is two days old, beyond any tolerance. */
	stale(options?: Times): void;
	/** Signs the next attempts with another secret. */
	wrongSignature(options?: Times): void;
}

/** What each method of {@link WebhookFaults} adds, in this process or over HTTP. */
export function createWebhookFaults<Result>(
	add: (choose: () => readonly [fault: WebhookFaultChoice, times: Times]) => Result,
) {
	const method =
		(name: keyof WebhookFaults, kind: Exclude<WebhookFaultChoice["kind"], "delay" | "repeat_attempt">) =>
		(...given: unknown[]) =>
			add(() => [{ kind }, readTimes(name, given)]);
	return {
		repeat: (...given: unknown[]) =>
			add(() => {
				const { times = 1 } = readTimes("repeat", given);
				assertPositiveInteger("times", times);
				return [{ kind: "repeat" }, { times }];
			}),
		repeatAttempt: (repeat: Parameters<WebhookFaults["repeatAttempt"]>[0] = {}, ...others: unknown[]) =>
			add(() => {
				assertFault("faults.webhooks.repeatAttempt", repeat, ["times", "response", "delayMs"], others);
				const { response = "copy", delayMs = 0 } = repeat;
				assertOneOf("repeatAttempt: response", response, ["copy", "first"]);
				assertNotNegative("delayMs", delayMs);
				return [{ kind: "repeat_attempt", response, delayMs }, repeat];
			}),
		delay: (ms: number, ...given: unknown[]) =>
			add(() => {
				assertNotNegative("a delay in milliseconds", ms);
				return [{ kind: "delay", ms }, readTimes("delay", given)];
			}),
		outOfOrder: method("outOfOrder", "out_of_order"),
		tamper: method("tamper", "tamper"),
		stale: method("stale", "stale"),
		wrongSignature: method("wrongSignature", "wrong_signature"),
	};
}

interface PlannedWebhookFault<Fault> {
	readonly fault: Fault;
	/** How often it was to occur. */
	readonly times: number;
}

type FaultOf<Kind> = Extract<WebhookFaultChoice, { kind: Kind }>;

/** The active faults, for tests that add them and for the deliveries that use them up. */
export class WebhookFaultPlan {
	readonly #active: Countdown<PlannedWebhookFault<WebhookFaultChoice>>;

	constructor(onChange: () => void) {
		this.#active = new Countdown(onChange);
	}

	/** @throws ConfigurationError when `times` is below 1 or not a number. */
	add(fault: WebhookFaultChoice, { times = 1 }: Times): void {
		// The repeats of one event are one use.
		this.#active.add({ fault, times }, fault.kind === "repeat" ? {} : { times });
	}

	/** The active faults, in words. */
	describe(): string[] {
		return this.#active.entries.map(({ item: { fault, times }, left }) => {
			const [noun, effect] = describeWebhookFault(fault, times);
			return `${describeTimes(left, noun)}: ${effect}`;
		});
	}

	/** Uses up one fault of a kind. */
	take<Kind extends WebhookFaultChoice["kind"]>(kind: Kind): PlannedWebhookFault<FaultOf<Kind>> | undefined {
		return this.#active.take(
			(planned): planned is PlannedWebhookFault<FaultOf<Kind>> => planned.fault.kind === kind,
		);
	}

	clear(): void {
		this.#active.clear();
	}
}

function readTimes(name: keyof WebhookFaults, [options = {}, ...others]: readonly unknown[]): Times {
	assertFault(`faults.webhooks.${name}`, options, ["times"], others);
	return options;
}
