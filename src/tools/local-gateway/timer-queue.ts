/** A callback and when it is due. */
export interface Timer {
	readonly dueAt: number;
	readonly callback: () => void;
}

/** Timers in the order in which they fall due; those due together, in the order in which they were set. */
export class TimerQueue {
	readonly #timers: Timer[] = [];

	get size(): number {
		return this.#timers.length;
	}

	/** The timer that falls due next. */
	get first(): Timer | undefined {
		return this.#timers[0];
	}

	add(timer: Timer): void {
		this.#timers.splice(this.#countDueBy(timer.dueAt), 0, timer);
	}

	/** Removes a timer, if it is still there. */
	remove(timer: Timer): void {
		const at = this.#timers.indexOf(timer);
		if (at >= 0) this.#timers.splice(at, 1);
	}

	/** Removes and returns the first timer that is due at `time`. */
	takeDue(time: number): Timer | undefined {
		const timer = this.#timers[0];
		return timer !== undefined && timer.dueAt <= time ? this.#timers.shift() : undefined;
	}

	#countDueBy(time: number): number {
		let low = 0;
		let high = this.#timers.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if ((this.#timers[middle]?.dueAt ?? 0) <= time) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}
