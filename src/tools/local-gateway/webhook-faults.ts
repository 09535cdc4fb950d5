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

/** The faults of one attempt. */
export interface AttemptFaults {
	readonly isTampered: boolean;
	readonly isStale: boolean;
	readonly isWronglySigned: boolean;
}

/** The active faults, for tests that add them and for the deliveries that use them up. */
export class WebhookFaultPlan {
	readonly #delays: Countdown<number>;
	readonly #swaps: Countdown<true>;
	readonly #repeats: Countdown<number>;
	readonly #tampered: Countdown<true>;
	readonly #stale: Countdown<true>;
	readonly #wronglySigned: Countdown<true>;

	constructor(onChange: () => void) {
		this.#delays = new Countdown(onChange);
		this.#swaps = new Countdown(onChange);
		this.#repeats = new Countdown(onChange);
		this.#tampered = new Countdown(onChange);
		this.#stale = new Countdown(onChange);
		this.#wronglySigned = new Countdown(onChange);
	}

	readonly controls: WebhookFaults = {
		repeat: (...given: unknown[]) => {
			const { times = 1 } = readTimes("repeat", given);
			assertPositiveInteger("times", times);
			this.#repeats.add(times, {});
		},
		delay: (ms, ...given: unknown[]) => {
			assertNotNegative("a delay in milliseconds", ms);
			this.#delays.add(ms, readTimes("delay", given));
		},
		outOfOrder: (...given: unknown[]) => this.#swaps.add(true, readTimes("outOfOrder", given)),
		tamper: (...given: unknown[]) => this.#tampered.add(true, readTimes("tamper", given)),
		stale: (...given: unknown[]) => this.#stale.add(true, readTimes("stale", given)),
		wrongSignature: (...given: unknown[]) =>
			this.#wronglySigned.add(true, readTimes("wrongSignature", given)),
	};

	/** The active faults, in words. */
	describe(): string[] {
		return [
			...inWords(this.#delays, "webhook", (ms) => `${ms} ms late`),
			...inWords(this.#repeats, "webhook", (times) => `repeated ${times === 1 ? "once" : `${times} times`}`),
			...inWords(this.#swaps, "message", () => "its first two webhooks change places"),
			...inWords(this.#tampered, "attempt", () => "the body is changed after signing"),
			...inWords(this.#stale, "attempt", () => "signed with a timestamp of two days ago"),
			...inWords(this.#wronglySigned, "attempt", () => "signed with another secret"),
		];
	}

	takeDelayMs(): number {
		return this.#delays.take() ?? 0;
	}

	takeSwap(): boolean {
		return this.#swaps.take() ?? false;
	}

	takeRepeats(): number {
		return this.#repeats.take() ?? 0;
	}

	takeAttemptFaults(): AttemptFaults {
		return {
			isTampered: this.#tampered.take() ?? false,
			isStale: this.#stale.take() ?? false,
			isWronglySigned: this.#wronglySigned.take() ?? false,
		};
	}

	clear(): void {
		for (const faults of [this.#delays, this.#repeats, this.#swaps]) faults.clear();
		for (const faults of [this.#tampered, this.#stale, this.#wronglySigned]) faults.clear();
	}
}

function readTimes(name: keyof WebhookFaults, [options = {}, ...others]: readonly unknown[]): Times {
	assertFault(`faults.webhooks.${name}`, options, ["times"], others);
	return options;
}

function inWords<Item>(
	{ entries }: Countdown<Item>,
	noun: string,
	describe: (item: Item) => string,
): string[] {
	return entries.map(({ item, left }) => `${describeTimes(left, noun)}: ${describe(item)}`);
}
