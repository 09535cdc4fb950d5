import { setTimeout as sleep } from "node:timers/promises";
import type { JournalReader } from "./journal.ts";
import type { Random } from "./random.ts";
import type { Receiver, Receivers } from "./receivers.ts";

/** A fault that finds nothing under way for this long asks for some more events, and again once they are there. */
const PAUSE_MS = 200;
const EVENTS_PER_WISH = 16;

/** How often it asks: whatever it waits for comes within 1,600 events, or not at all. */
const MOST_WISHES = 100;

/** What finding receivers takes. */
interface SearchParts {
	readonly receivers: Pick<Receivers, "running">;
	readonly journal: Pick<JournalReader, "count">;
	readonly random: Random;
	readonly sender: { readonly deliveries: { readonly length: number } };
	/** Fires when the run is over. */
	readonly over: AbortSignal;
}

/** Finds receivers in the middle of a handler. */
export class BusyReceivers {
	readonly #parts: SearchParts;
	readonly #awaited = new Set<string>();
	/** How many events there are to be for the faults that have asked. */
	eventsWanted = 0;

	constructor(parts: SearchParts) {
		this.#parts = parts;
	}

	/** What faults wait for at the moment. */
	get awaited(): readonly string[] {
		return [...this.#awaited];
	}

	/** A running receiver of which the journal has such a run; `$1` is its name. */
	find(condition: string): Promise<Receiver> {
		const { receivers, journal, random } = this.#parts;
		return this.askForMoreUntil(`a run with ${condition}`, async (signal) => {
			for (;;) {
				for (const receiver of random.shuffle(receivers.running)) {
					const isBusy = (await journal.count(condition, [receiver.worker])) > 0;
					if (isBusy && receiver.isRunning) return receiver;
				}
				await sleep(5, undefined, { signal });
			}
		});
	}

	/**
	 * Asks for more events as long as something waits for them.
	 * @throws Error that says what was waited for, when it has not come after many of them.
	 */
	async askForMoreUntil<Result>(
		awaited: string,
		wait: (signal: AbortSignal) => Promise<Result>,
	): Promise<Result> {
		const { sender, over } = this.#parts;
		const inVain = new AbortController();
		let wishes = 0;
		let wanted = 0;
		const wish = setInterval(() => {
			const { length } = sender.deliveries;
			if (length < wanted) return;
			if (wishes++ === MOST_WISHES) inVain.abort();
			wanted = length + EVENTS_PER_WISH;
			this.eventsWanted = Math.max(this.eventsWanted, wanted);
		}, PAUSE_MS);
		this.#awaited.add(awaited);
		try {
			return await wait(AbortSignal.any([over, inVain.signal]));
		} catch (error) {
			if (!inVain.signal.aborted) throw error;
			throw new Error(`asked ${MOST_WISHES} times for more events, but there was not ${awaited}`);
		} finally {
			this.#awaited.delete(awaited);
			clearInterval(wish);
		}
	}
}
