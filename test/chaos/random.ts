/** Random choices that one seed decides, so that a run can be repeated. */
export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** From 0 (inclusive) to 1 (exclusive): mulberry32. */
	fraction(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = this.#state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	/** Whether something with this probability happens. */
	chance(probability: number): boolean {
		return this.fraction() < probability;
	}

	/** An integer from `low` to below `high`. */
	between(low: number, high: number): number {
		return low + Math.floor(this.fraction() * (high - low));
	}

	/** One of the items; there must be some. */
	pick<Item>(items: readonly Item[]): Item {
		const item = items[this.between(0, items.length)];
		if (item === undefined) throw new Error("there is nothing to choose from");
		return item;
	}

	/** The items in another order. */
	shuffle<Item>(items: readonly Item[]): Item[] {
		const drawn = items.map((item) => ({ item, place: this.fraction() }));
		return drawn.sort((one, other) => one.place - other.place).map(({ item }) => item);
	}
}
