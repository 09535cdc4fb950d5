/** Receives the mutations of things, which their owners report. */
export interface ChangeSink<Item> {
	/** An item was added or changed. */
	changed(item: Item): void;
	/** An item was deleted, or dropped as the oldest of too many. */
	dropped(item: Item): void;
}
