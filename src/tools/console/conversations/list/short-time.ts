import { formatTime } from "../state/clock.ts";
import { nameDay } from "../state/thread-items.ts";

/** Formats a time: the time of day if it is today, otherwise the day. */
export function shortTime(unixMs: number, now: number): string {
	const day = nameDay(unixMs, now);
	return day === "Today" ? formatTime(unixMs, { withSeconds: false }) : day;
}
