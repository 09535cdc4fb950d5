import { describeRest } from "../../../local-gateway/duration.ts";
import { formatTime } from "../../parts/format-time.ts";

export { formatTime };

export interface GatewayClock {
	/** The gateway's time at the reading, in Unix milliseconds. */
	readonly now: number;
	/** The gateway's time minus the machine's. */
	readonly offsetMs: number;
	/** The time of the reading on the page's monotonic clock, in milliseconds. */
	readonly readAt: number;
}

/** The gateway's current time, extrapolated from the last reading. */
export function gatewayNow(clock: GatewayClock, steadyNow: number): number {
	return clock.now + Math.max(0, steadyNow - clock.readAt);
}

/** Formats the remaining time as `4:59`, or `1:04:59` from an hour on. Seconds are rounded up. */
export function formatCountdown(ms: number): string {
	const seconds = Math.max(0, Math.ceil(ms / 1000));
	const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
	const tail = String(seconds % 60).padStart(2, "0");
	return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, "0")}:${tail}`;
}

/** Describes the offset of the gateway's clock from the machine's; `null` without one. */
export function describeOffset(offsetMs: number): string | null {
	if (Math.abs(offsetMs) < 500) return null;
	return `${describeRest(Math.round(Math.abs(offsetMs) / 1_000) * 1_000)} ${offsetMs > 0 ? "ahead" : "behind"}`;
}

const DAY_MS = 86_400_000;

/** Today, yesterday, or the date. */
export function nameDay(unixMs: number, now: number): string {
	const day = new Date(unixMs).toDateString();
	if (day === new Date(now).toDateString()) return "Today";
	if (day === new Date(now - DAY_MS).toDateString()) return "Yesterday";
	return new Date(unixMs).toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" });
}

/** Formats a time: the time of day if it is today, otherwise the day. */
export function shortTime(unixMs: number, now: number): string {
	const day = nameDay(unixMs, now);
	return day === "Today" ? formatTime(unixMs, { withSeconds: false }) : day;
}

/** Formats a count, such as `1,204 messages`. */
export function count(number: number, noun: string): string {
	return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
