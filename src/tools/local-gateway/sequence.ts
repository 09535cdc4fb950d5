/** Increasing numbers, which define the order of all lists. */
export class Sequence {
	#last = 0;

	get last(): number {
		return this.#last;
	}

	next(): number {
		return ++this.#last;
	}

	/** Continues after the last number of an earlier run. */
	skipTo(last: number): void {
		this.#last = Math.max(this.#last, last);
	}
}
