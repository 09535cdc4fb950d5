import {
	isFresh,
	isTolerance,
	MAX_BOUND_TOLERANCE_SECONDS,
} from "../../../library/webhooks/verify-signature.ts";
import type { Mistake } from "./explanation.ts";
import { toSeconds } from "./timestamps.ts";

/** For a timestamp too far from the arrival: the distance, and whether a replay or a clock is the likely cause. */
export function findClockFaults(timestamp: string, arrivedAt: number, toleranceSeconds = 300): Mistake[] {
	const seconds = toSeconds(timestamp);
	if (seconds === undefined || !isUsable(toleranceSeconds)) return [];
	const drift = seconds - Math.floor(arrivedAt / 1000);
	if (isFresh(drift, toleranceSeconds)) return [];
	const distance = describeDistance(Math.abs(drift));
	if (drift > 0) {
		return [
			{
				cause: "clock_behind",
				message: `The delivery was signed ${distance} after the time of our clock: our clock is behind or the sender's is ahead, since no replay comes from the future.`,
				fix: "Set this machine's clock by NTP, and check that clock.now() gives Unix milliseconds in UTC.",
			},
		];
	}
	const blame = isWholeHours(drift)
		? "a difference of full hours suggests a clock in another time zone rather than a replay"
		: "it was kept and sent again (a replay, a queue, a recorded request), unless our clock is ahead";
	return [
		{
			cause: "delivery_too_old",
			message: `The delivery was signed ${distance} ago, and ${toleranceSeconds} s are accepted: ${blame}.`,
			fix: "Compare this machine's clock with another one; if it is right, pass receivedAt if the delivery waited, sign an old one again, and in tests pass a clock fixed at the signing time.",
		},
	];
}

/** Faults for which the verification rejects the tolerance. */
export function findToleranceFaults(toleranceSeconds: unknown): Mistake[] {
	return toleranceSeconds === undefined || isUsable(toleranceSeconds) ? [] : [badTolerance()];
}

/** The explanation has no store: it accepts what a handler with any store does. */
function isUsable(toleranceSeconds: unknown): boolean {
	return isTolerance(toleranceSeconds, MAX_BOUND_TOLERANCE_SECONDS);
}

/** Off by full hours up to a day, give or take the delivery's travel time. */
function isWholeHours(drift: number): boolean {
	const seconds = Math.abs(drift);
	const rest = seconds % 3600;
	return seconds > 3000 && seconds < 90_000 && Math.min(rest, 3600 - rest) <= 10;
}

function describeDistance(seconds: number): string {
	if (seconds < 600) return `${seconds} s`;
	if (seconds < 172_800) return `${seconds} s (${Math.round(seconds / 360) / 10} h)`;
	return `${seconds} s (${Math.round(seconds / 86_400)} days)`;
}

/** A function: bundlers do not drop an unused constant that is built from parts. */
function badTolerance(): Mistake {
	return {
		cause: "tolerance_unusable",
		message: `toleranceSeconds isn't a number from 0 to ${MAX_BOUND_TOLERANCE_SECONDS}.`,
		fix: "Leave toleranceSeconds out for 300 s, or pass a number; a variable of the environment needs Number() around it.",
	};
}
