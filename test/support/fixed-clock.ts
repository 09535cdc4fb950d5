import type { Clock } from "messaging-gateway/signing";

/** A clock that stands still until a test moves it. Its timers never fire. */
export interface FixedClock extends Clock {
	/** Unix milliseconds; assign to move the clock. */
	nowMs: number;
}

export function fixedClock(nowMs: number): FixedClock {
	return {
		nowMs,
		now() {
			return this.nowMs;
		},
		setTimer: () => () => {},
	};
}
