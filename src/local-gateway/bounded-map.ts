/** A map that drops its oldest entry rather than hold more than `maxEntries`. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
	readonly #maxEntries: number;
	readonly #onDrop: (value: Value) => void;

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
		const oldest = this.entries().next();
		if (oldest.done) return;
		const [key, value] = oldest.value;
		this.delete(key);
		this.#onDrop(value);
	}
}
