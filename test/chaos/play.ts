import { setTimeout as sleep } from "node:timers/promises";
import type { Faults } from "./faults.ts";
import type { Scene } from "./scene.ts";
import type { ScheduledFault } from "./schedule.ts";

/** What a schedule is played with. */
interface PlayParts {
	readonly faults: Faults;
	readonly scene: Scene;
	readonly events: number;
}

/** Plays a schedule of faults while events are delivered. Faults may overlap. */
export class Play {
	readonly #faults: Faults;
	readonly #scene: Scene;
	readonly #open: ScheduledFault[];
	readonly #events: number;
	/** How many events may come beyond the mark of a fault that is not over yet. */
	readonly #slack: number;

	constructor(schedule: readonly ScheduledFault[], { faults, scene, events }: PlayParts) {
		this.#scene = scene;
		this.#faults = faults;
		this.#open = [...schedule];
		this.#events = events;
		this.#slack = Math.ceil((events / schedule.length) * 2);
	}

	/** How many events there may be for now: the last of them must not be done before the last fault has come. */
	get limit(): number {
		const [first] = this.#open;
		if (first === undefined) return this.#events;
		return Math.min(this.#events, first.mark + this.#slack + this.#scene.busy.eventsWanted);
	}

	/** Resolves when all faults are over. */
	async run(): Promise<void> {
		const { courier, over } = this.#scene;
		const strikes: Promise<void>[] = [];
		for (const fault of [...this.#open]) {
			while (courier.acknowledged.size < fault.mark) await sleep(10, undefined, { signal: over.signal });
			const strike = this.#faults.strike(fault.kind).finally(() => {
				this.#open.splice(this.#open.indexOf(fault), 1);
			});
			strike.catch(() => undefined);
			strikes.push(strike);
		}
		await Promise.all(strikes);
	}
}
