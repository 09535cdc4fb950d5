import { setTimeout as sleep } from "node:timers/promises";
import type { BusyReceivers } from "./busy-receivers.ts";
import type { Courier } from "./courier.ts";
import type { Faults } from "./faults.ts";
import type { ScheduledFault } from "./schedule.ts";

/** What a schedule is played with. */
interface PlayParts {
	readonly faults: Pick<Faults, "strike">;
	readonly courier: Pick<Courier, "acknowledged">;
	readonly busy: Pick<BusyReceivers, "eventsWanted">;
	readonly over: AbortController;
	readonly events: number;
}

/** Plays a schedule of faults while events are delivered. Faults may overlap. */
export class Play {
	readonly #parts: PlayParts;
	readonly #open: ScheduledFault[];
	/** How many events may come beyond the mark of a fault that has not ended. */
	readonly #slack: number;

	constructor(schedule: readonly ScheduledFault[], parts: PlayParts) {
		this.#parts = parts;
		this.#open = [...schedule];
		this.#slack = Math.ceil((parts.events / schedule.length) * 2);
	}

	/**
	 * How many events there may be for now: the last of them must not be done before the last fault has come. A fault that
	 * waits for events gets them, even beyond the number of the options.
	 */
	get limit(): number {
		const { events, busy } = this.#parts;
		const [first] = this.#open;
		if (first === undefined) return events;
		return Math.max(Math.min(events, first.mark + this.#slack), busy.eventsWanted);
	}

	/** Whether all faults are over, so that none needs more events. */
	get isOver(): boolean {
		return this.#open.length === 0;
	}

	/** Resolves when all faults are over. */
	async run(): Promise<void> {
		const { faults, courier, over } = this.#parts;
		const strikes: Promise<void>[] = [];
		for (const fault of [...this.#open]) {
			while (courier.acknowledged.size < fault.mark) await sleep(10, undefined, { signal: over.signal });
			const strike = faults.strike(fault.kind).finally(() => {
				this.#open.splice(this.#open.indexOf(fault), 1);
			});
			strike.catch(() => undefined);
			strikes.push(strike);
		}
		await Promise.all(strikes);
	}
}
