import { setTimeout as sleep } from "node:timers/promises";
import type { JournalReader } from "./journal.ts";
import type { Random } from "./random.ts";
import type { Receiver, Receivers } from "./receivers.ts";

/** A fault that finds nothing under way for this long asks for some more events. */
const PATIENCE_MS = 200;
const EVENTS_PER_WISH = 16;

/** Finds receivers in the middle of a handler. */
export class BusyReceivers {
	readonly #receivers: Receivers;
	readonly #journal: JournalReader;
	readonly #random: Random;
	/** How many more events the faults have asked for. */
	eventsWanted = 0;

	constructor(receivers: Receivers, journal: JournalReader, random: Random) {
		this.#receivers = receivers;
		this.#journal = journal;
		this.#random = random;
	}

	/** A running receiver of which the journal has such a run; `$1` is its name. */
	find(condition: string, over: AbortSignal): Promise<Receiver> {
		return this.askForMoreUntil(async () => {
			for (;;) {
				for (const receiver of this.#random.shuffle(this.#receivers.running)) {
					const isBusy = (await this.#journal.count(condition, [receiver.worker])) > 0;
					if (isBusy && receiver.isRunning) return receiver;
				}
				await sleep(5, undefined, { signal: over });
			}
		});
	}

	/** Asks for more events as long as something waits for them. */
	async askForMoreUntil<Result>(wait: () => Promise<Result>): Promise<Result> {
		const wish = setInterval(() => {
			this.eventsWanted += EVENTS_PER_WISH;
		}, PATIENCE_MS);
		try {
			return await wait();
		} finally {
			clearInterval(wish);
		}
	}
}
