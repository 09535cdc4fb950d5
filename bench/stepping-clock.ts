import type { Clock } from "messaging-gateway";

/** A clock that stands still between its steps, and starts no timers. */
export interface SteppingClock extends Clock {
	step(): void;
}

/** Makes a clock that moves by `stepMs` with each step, so that what takes hours needs no waiting. */
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
