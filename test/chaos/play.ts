import { setTimeout as sleep } from "node:timers/promises";
import { FAULT_KINDS, type FaultCounts, type FaultKind, type Faults } from "./faults.ts";
import type { Scene } from "./scene.ts";

/** A fault and when it comes: by progress rather than by time, so that each finds events under way. */
interface ScheduledFault {
	readonly kind: FaultKind;
	/** How many events are done by then. */
	readonly mark: number;
}

/** No fault comes after this share of the events, so that the last one finds some as well. */
const LAST_MARK = 0.85;

/** Plays faults while events are delivered, in an order that the seed decides. They may overlap. */
export class Play {
	readonly #scene: Scene;
	readonly #faults: Faults;
	readonly #events: number;
	readonly #open: ScheduledFault[];
	/** How many events may come beyond the mark of a fault that has not ended. */
	readonly #slack: number;

	constructor(scene: Scene, faults: Faults, { counts, events }: { counts: FaultCounts; events: number }) {
		this.#scene = scene;
		this.#faults = faults;
		this.#events = events;
		const kinds = FAULT_KINDS.flatMap((kind) => Array<FaultKind>(counts[kind]).fill(kind));
		const share = (events * LAST_MARK) / kinds.length;
		this.#open = scene.random
			.shuffle(kinds)
			.map((kind, at) => ({ kind, mark: Math.floor((at + scene.random.fraction()) * share) }));
		this.#slack = Math.ceil((events / kinds.length) * 2);
	}

	/** How many events may be made at full speed for now: the last one must not be done before the last fault has come. */
	get limit(): number {
		const [first] = this.#open;
		return first === undefined ? this.#events : Math.min(this.#events, first.mark + this.#slack);
	}

	/** Whether no more events are needed once so many were made: neither by the options, nor by a fault. */
	isOver(made: number): boolean {
		return made >= this.#events && this.#open.length === 0;
	}

	/** Resolves when all faults are over. */
	async run(): Promise<void> {
		const { courier, over } = this.#scene;
		const strikes: Promise<void>[] = [];
		for (const fault of [...this.#open]) {
			while (courier.acknowledged.size < fault.mark) await sleep(10, undefined, { signal: over });
			const strike = this.#faults.strike(fault.kind).finally(() => {
				this.#open.splice(this.#open.indexOf(fault), 1);
			});
			strike.catch(() => undefined);
			strikes.push(strike);
		}
		await Promise.all(strikes);
	}
}
