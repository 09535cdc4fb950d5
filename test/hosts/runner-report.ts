import type { Cells } from "./actions.ts";

/** What a test runner's run prints, in a line of its own. */
export interface RunnerReport {
	readonly cells: Cells;
	/** The statuses of a message that was sent with fake timers, after everything has settled; or an error. */
	readonly withFakeTimers: readonly string[] | string;
}
