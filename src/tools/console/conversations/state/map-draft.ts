/** A copy-on-write map: it is copied on the first write, so an unchanged map keeps its identity. */
export class MapDraft<Item> {
	#map: ReadonlyMap<string, Item>;
	#copy: Map<string, Item> | undefined;
	readonly #maxSize: number;

	constructor(map: ReadonlyMap<string, Item>, maxSize: number) {
		this.#map = map;
		this.#maxSize = maxSize;
	}

	/** Sets an item, and drops the oldest if there are too many. */
	put(key: string, item: Item): void {
		const map = this.#write();
		map.set(key, item);
		const [oldest] = map;
		if (map.size > this.#maxSize && oldest !== undefined) map.delete(oldest[0]);
	}

	delete(key: string): void {
		this.#write().delete(key);
	}

	/** Replaces the map and discards changes. */
	replace(map: ReadonlyMap<string, Item>): void {
		this.#map = map;
		this.#copy = undefined;
	}

	/** The current map. */
	get map(): ReadonlyMap<string, Item> {
		return this.#copy ?? this.#map;
	}

	#write(): Map<string, Item> {
		this.#copy ??= new Map(this.#map);
		return this.#copy;
	}
}
