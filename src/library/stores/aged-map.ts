/**
 * A map that knows its oldest entry. It keeps one iterator: a new one would skip the slots of all deleted entries, of
 * which a full map that keeps changing has many.
 */
export class AgedMap<Value> extends Map<string, Value> {
	#walk = this.keys();
	#oldestKey: string | undefined;

	override delete(key: string): boolean {
		if (key === this.#oldestKey) this.#oldestKey = undefined;
		return super.delete(key);
	}

	/** The entry that was added first; setting a key again keeps its place, unless it was deleted before. */
	oldest(): { readonly key: string; readonly value: Value } | undefined {
		this.#oldestKey ??= this.#nextKey();
		const key = this.#oldestKey;
		const value = key === undefined ? undefined : this.get(key);
		return key === undefined || value === undefined ? undefined : { key, value };
	}

	/** All entries before the iterator's have been the oldest once, and were deleted. */
	#nextKey(): string | undefined {
		let step = this.#walk.next();
		if (step.done) {
			this.#walk = this.keys();
			step = this.#walk.next();
		}
		return step.done ? undefined : step.value;
	}
}
