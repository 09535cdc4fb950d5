import { type Clock, monotonicNow } from "../runtime.ts";

/** What a process knows of a lease. */
export interface LeaseReading {
	/** What has passed by the monotonic clock, in milliseconds. */
	readonly awakeMs: number;
	/** What is left by the monotonic clock. */
	readonly leftAwakeMs: number;
	/** What is left by the clock that went further. */
	readonly leftMs: number;
	/** Whether it holds by both clocks. If they moved apart, the machine slept or one was set, and only the store knows. */
	readonly isCertain: boolean;
}

/** Reads the clocks of a lease. */
export type LeaseTime = () => LeaseReading;

/**
 * How far the clocks may move apart, as a part of the lease. A clock that NTP slews moves by 0.05 % of a time at most, and
 * a leap second is less than a tenth of the default lease.
 */
const MAX_DIFFERENCE = 0.1;

/**
 * Begins to measure a lease that is about to be requested: in the store it begins later, and so ends later. The only place
 * that measures one: the monotonic clock stands still while the machine sleeps, as on Linux, and the wall clock may be
 * set, so neither alone shows whether the lease holds.
 */
export function startLease(clock: Clock, lengthMs: number): LeaseTime {
	const wallAt = clock.now();
	const monotonicAt = monotonicNow(clock);
	return () => {
		const wallMs = clock.now() - wallAt;
		const awakeMs = monotonicNow(clock) - monotonicAt;
		const leftMs = lengthMs - Math.max(awakeMs, wallMs);
		const isCertain = leftMs > 0 && Math.abs(wallMs - awakeMs) <= lengthMs * MAX_DIFFERENCE;
		return { awakeMs, leftAwakeMs: lengthMs - awakeMs, leftMs, isCertain };
	};
}
