import type { Cells } from "./actions.ts";

/** What a test runner's run prints, in a line of its own. */
export interface RunnerReport {
	readonly cells: Cells;
	/** The statuses of a message that was sent with fake timers, after everything has settled; or an error. */
	readonly withFakeTimers: readonly string[] | string;
	/** The same of a message that a receiver sent from a real timer, after it had answered. */
	readonly fromTimer: readonly string[] | string;
	/** Whether the runner has `setImmediate`, as Node has. */
	readonly hasImmediate: boolean;
}
