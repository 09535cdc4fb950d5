import { type FixedClock, fixedClock } from "./fixed-clock.ts";

/** What people read, and what passes: a test moves either. */
export interface SettableClock extends FixedClock {
	elapsedMs: number;
	monotonicNow(): number;
	/** Lets time pass. */
	advance(ms: number): Promise<void>;
	/** Sets what people read. */
	setClock(ms: number): void;
}

export function settableClock(nowMs: number): SettableClock {
	const clock: SettableClock = {
		...fixedClock(nowMs),
		elapsedMs: 5_000,
		monotonicNow: () => clock.elapsedMs,
		async advance(ms) {
			clock.nowMs += ms;
			clock.elapsedMs += ms;
		},
		setClock(ms) {
			clock.nowMs += ms;
		},
	};
	return clock;
}
