/** Numbers that grow with each call: the order of everything in lists. */
export class Sequence {
	#last = 0;

	next(): number {
		return ++this.#last;
	}

	/** Goes on after a number that was given in an earlier run. */
	skipTo(last: number): void {
		this.#last = Math.max(this.#last, last);
	}
}
