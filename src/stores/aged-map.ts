/**
 * A map that knows its oldest entry. A new iterator would pass over the places of everything that was deleted before,
 * of which a map that is full and keeps on changing has many; this one keeps its own.
 */
export class AgedMap<Value> extends Map<string, Value> {
	#walk = this.keys();
	#oldestKey: string | undefined;

	override delete(key: string): boolean {
		if (key === this.#oldestKey) this.#oldestKey = undefined;
		return super.delete(key);
	}

	/** The entry that was added first; setting a key anew keeps its place, deleting it before does not. */
	oldest(): { readonly key: string; readonly value: Value } | undefined {
		this.#oldestKey ??= this.#nextKey();
		const key = this.#oldestKey;
		const value = key === undefined ? undefined : this.get(key);
		return key === undefined || value === undefined ? undefined : { key, value };
	}

	/** Whatever stood before was the oldest once, and was deleted. */
	#nextKey(): string | undefined {
		let step = this.#walk.next();
		if (step.done) {
			this.#walk = this.keys();
			step = this.#walk.next();
		}
		return step.done ? undefined : step.value;
	}
}
