/** A map that drops its oldest entry rather than hold more than `maxEntries`. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
	readonly #maxEntries: number;
	readonly #onDrop: (value: Value) => void;
	/**
	 * Yields the oldest entry next. A new iterator would first skip the places of all dropped entries, of which a
	 * large map has many.
	 */
	readonly #oldest = this.entries();

	constructor(maxEntries: number, onDrop: (value: Value) => void = () => {}) {
		super();
		this.#maxEntries = maxEntries;
		this.#onDrop = onDrop;
	}

	override set(key: Key, value: Value): this {
		if (this.size >= this.#maxEntries && !this.has(key)) this.#dropOldest();
		return super.set(key, value);
	}

	#dropOldest(): void {
		const oldest = this.#oldest.next();
		if (oldest.done) return;
		const [key, value] = oldest.value;
		this.delete(key);
		this.#onDrop(value);
	}
}
