import { assertPositiveInteger } from "../../library/check-options.ts";
import { assertFault, Countdown, describeTimes, type Times } from "./countdown.ts";
import { assertNotNegative } from "./settings.ts";

/** Injects faults into deliveries. Faults of the same delivery combine. */
export interface WebhookFaults {
	/**
	 * Delivers the next event `times` more times after it was acknowledged. They have the same event id, unless the
	 * option `webhooks.retryEventId` is `"new"`.
	 */
	repeat(options?: Times): void;
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

/** A fault of a delivery. */
export type WebhookFaultChoice =
	| "repeat"
	| "tamper"
	| "stale"
	| "wrong_signature"
	| "out_of_order"
	| { kind: "delay"; ms: number };

type Kind = Extract<WebhookFaultChoice, string> | "delay";

/** What each kind affects, and in which words; `value` is a delay's milliseconds, or a number of repeats. */
const KINDS: { readonly [Name in Kind]: readonly [noun: string, describe: (value: number) => string] } = {
	delay: ["webhook", (ms) => `${ms} ms late`],
	repeat: ["webhook", (times) => `repeated ${times === 1 ? "once" : `${times} times`}`],
	out_of_order: ["message", () => "its first two webhooks change places"],
	tamper: ["attempt", () => "the body is changed after signing"],
	stale: ["attempt", () => "signed with a timestamp of two days ago"],
	wrong_signature: ["attempt", () => "signed with another secret"],
};

/** What each method of {@link WebhookFaults} adds, in this process or over HTTP. */
export function createWebhookFaults<Result>(
	add: (choose: () => readonly [fault: WebhookFaultChoice, times: Times]) => Result,
) {
	const method =
		(name: keyof WebhookFaults, fault: Exclude<WebhookFaultChoice, object>) =>
		(...given: unknown[]) =>
			add(() => [fault, readTimes(name, given)]);
	return {
		repeat: (...given: unknown[]) =>
			add(() => {
				const { times = 1 } = readTimes("repeat", given);
				assertPositiveInteger("times", times);
				return ["repeat", { times }];
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

/** The active faults, for tests that add them and for the deliveries that use them up. */
export class WebhookFaultPlan {
	readonly #active: ReadonlyMap<string, Countdown<number>>;

	constructor(onChange: () => void) {
		this.#active = new Map(Object.keys(KINDS).map((kind) => [kind, new Countdown<number>(onChange)]));
	}

	/** @throws ConfigurationError when `times` is below 1 or not a number. */
	add(fault: WebhookFaultChoice, { times }: Times): void {
		// The repeats of one event are one use.
		if (fault === "repeat") this.#active.get(fault)?.add(times ?? 1, {});
		else if (typeof fault === "string") this.#active.get(fault)?.add(0, { times });
		else this.#active.get(fault.kind)?.add(fault.ms, { times });
	}

	/** The active faults, in words. */
	describe(): string[] {
		return Object.entries(KINDS).flatMap(([kind, [noun, describe]]) => {
			const entries = this.#active.get(kind)?.entries ?? [];
			return entries.map(({ item, left }) => `${describeTimes(left, noun)}: ${describe(item)}`);
		});
	}

	/** Uses up one fault of a kind: its value, or `undefined` if there is none. */
	take(kind: Kind): number | undefined {
		return this.#active.get(kind)?.take();
	}

	/** The same, for a kind without a value. */
	strikes(kind: Kind): boolean {
		return this.take(kind) !== undefined;
	}

	clear(): void {
		for (const faults of this.#active.values()) faults.clear();
	}
}

function readTimes(name: keyof WebhookFaults, [options = {}, ...others]: readonly unknown[]): Times {
	assertFault(`faults.webhooks.${name}`, options, ["times"], others);
	return options;
}
