import { setTimeout as sleep } from "node:timers/promises";
import type { JournalReader } from "./journal.ts";
import type { Random } from "./random.ts";
import type { Receiver, Receivers } from "./receivers.ts";

/** A fault that finds nothing under way for this long requests more events, and again once they are there. */
const PAUSE_MS = 200;
const EVENTS_PER_REQUEST = 16;

/** How often it requests them: the awaited run comes within 1,600 events, or not at all. */
const MAX_REQUESTS = 100;

/** What is needed to find receivers. */
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
	/** How many events there must be for the faults that wait. */
	eventsWanted = 0;

	constructor(parts: SearchParts) {
		this.#parts = parts;
	}

	/** Descriptions of what faults wait for at the moment. */
	get awaited(): readonly string[] {
		return [...this.#awaited];
	}

	/** A running receiver of which the journal has a run with this condition; `$1` is its name. */
	find(condition: string): Promise<Receiver> {
		const { receivers, journal, random } = this.#parts;
		return this.requestMoreUntil(`a run with ${condition}`, async (signal) => {
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
	 * Requests more events until `wait` settles.
	 * @throws Error that names what was awaited, if it has not come after many events.
	 */
	async requestMoreUntil<Result>(
		awaited: string,
		wait: (signal: AbortSignal) => Promise<Result>,
	): Promise<Result> {
		const { sender, over } = this.#parts;
		const inVain = new AbortController();
		let requests = 0;
		let wanted = 0;
		const timer = setInterval(() => {
			const { length } = sender.deliveries;
			if (length < wanted) return;
			if (requests++ === MAX_REQUESTS) inVain.abort();
			wanted = length + EVENTS_PER_REQUEST;
			this.eventsWanted = Math.max(this.eventsWanted, wanted);
		}, PAUSE_MS);
		this.#awaited.add(awaited);
		try {
			return await wait(AbortSignal.any([over, inVain.signal]));
		} catch (error) {
			if (!inVain.signal.aborted) throw error;
			throw new Error(`requested more events ${MAX_REQUESTS} times, but there was not ${awaited}`);
		} finally {
			this.#awaited.delete(awaited);
			clearInterval(timer);
		}
	}
}
