import type { Clock } from "messaging-gateway";

/** A clock that stands still between its steps, and starts no timers. */
export interface SteppingClock extends Clock {
	step(): void;
}

/** Creates a clock that moves by `stepMs` with each step, so that hours pass without waiting. */
export function createSteppingClock(stepMs: number, startMs = Date.now()): SteppingClock {
	let now = startMs;
	return {
		now: () => now,
		setTimer: () => () => undefined,
		step() {
			now += stepMs;
		},
	};
}
