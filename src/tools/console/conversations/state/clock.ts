export { formatTime } from "../../parts/format-time.ts";

/** The last reading of the gateway's clock. */
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

/** Formats a time span with its two largest units, such as `4 min 59 s`. */
export function describeSpan(ms: number): string {
	const seconds = Math.round(Math.abs(ms) / 1000);
	const parts = [
		[Math.floor(seconds / 86_400), "d"],
		[Math.floor(seconds / 3600) % 24, "h"],
		[Math.floor(seconds / 60) % 60, "min"],
		[seconds % 60, "s"],
	] as const;
	const words = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
	return words.slice(0, 2).join(" ") || "0 s";
}

/** Describes the offset of the gateway's clock from the machine's; `null` without one. */
export function describeOffset(offsetMs: number): string | null {
	if (Math.abs(offsetMs) < 500) return null;
	return `${describeSpan(offsetMs)} ${offsetMs > 0 ? "ahead" : "behind"}`;
}
