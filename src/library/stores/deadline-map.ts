/** A value that is over at some time, and its place in the heap. */
interface DeadlineEntry<Value> {
	readonly key: string;
	readonly value: Value;
	readonly endsAt: number;
	place: number;
}

/** A map that knows which entry is over first, whatever the order of the ends: each step takes logarithmic time at worst. */
export class DeadlineMap<Value> {
	readonly #entries = new Map<string, DeadlineEntry<Value>>();
	/** A binary heap: an entry is over no earlier than the one above it, at half its place. */
	readonly #heap: DeadlineEntry<Value>[] = [];

	get size(): number {
		return this.#heap.length;
	}

	/** The entry of a key, also one that is over. */
	get(key: string): { readonly value: Value; readonly endsAt: number } | undefined {
		return this.#entries.get(key);
	}

	set(key: string, value: Value, endsAt: number): void {
		this.delete(key);
		const entry = { key, value, endsAt, place: 0 };
		this.#entries.set(key, entry);
		this.#moveTo(this.#heap.push(entry) - 1, entry);
	}

	delete(key: string): boolean {
		const entry = this.#entries.get(key);
		if (entry === undefined) return false;
		this.#entries.delete(key);
		const last = this.#heap.pop();
		if (last !== undefined && last !== entry) this.#moveTo(entry.place, last);
		return true;
	}

	/** The key that was over first. */
	firstOver(now: number): string | undefined {
		const first = this.#heap[0];
		return first !== undefined && first.endsAt <= now ? first.key : undefined;
	}

	/** Puts an entry into a place, or into the next one above or below that keeps the order. */
	#moveTo(place: number, entry: DeadlineEntry<Value>): void {
		let at = place;
		for (let other = this.#misplaced(at, entry); other !== undefined; other = this.#misplaced(at, entry)) {
			const { place: free } = other;
			this.#heap[at] = other;
			other.place = at;
			at = free;
		}
		this.#heap[at] = entry;
		entry.place = at;
	}

	/** The entry that must change places with one at this place. */
	#misplaced(place: number, { endsAt }: DeadlineEntry<Value>): DeadlineEntry<Value> | undefined {
		const above = place === 0 ? undefined : this.#heap[(place - 1) >> 1];
		if (above !== undefined && above.endsAt > endsAt) return above;
		const left = this.#heap[2 * place + 1];
		const right = this.#heap[2 * place + 2];
		const below = left !== undefined && right !== undefined && right.endsAt < left.endsAt ? right : left;
		return below !== undefined && below.endsAt < endsAt ? below : undefined;
	}
}
