/** Receives the mutations of things, which their owners report. */
export interface ChangeSink<Thing> {
	/** A thing was added or changed. */
	changed(thing: Thing): void;
	/** A thing was deleted, or dropped as the oldest of too many. */
	dropped(thing: Thing): void;
}
