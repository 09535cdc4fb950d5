/** The gateway's time, as it was when the page last heard of it. */
export interface GatewayClock {
	/** The gateway's time then, in Unix milliseconds. */
	readonly now: number;
	/** How far it is ahead of the machine's. */
	readonly offsetMs: number;
	/** When that was, in milliseconds of the page's own steady clock. */
	readonly readAt: number;
}

/** The gateway's time now: it runs on between two readings. */
export function gatewayNow(clock: GatewayClock, steadyNow: number): number {
	return clock.now + Math.max(0, steadyNow - clock.readAt);
}

/** What is left of a time span, as `4:59`, or `1:04:59` from an hour on. Begun seconds count whole. */
export function formatCountdown(ms: number): string {
	const seconds = Math.max(0, Math.ceil(ms / 1000));
	const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
	const tail = String(seconds % 60).padStart(2, "0");
	return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, "0")}:${tail}`;
}

/** A time span in words that a screen reader reads well, as `4 min 59 s`; of long ones the two largest units. */
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

/** How far the gateway's clock is from the machine's, in words; `null` where nobody moved it. */
export function describeOffset(offsetMs: number): string | null {
	if (Math.abs(offsetMs) < 500) return null;
	return `${describeSpan(offsetMs)} ${offsetMs > 0 ? "ahead" : "behind"}`;
}

/** A time of day, as `14:32:10`. */
export function formatTime(unixMs: number, { withSeconds = true } = {}): string {
	return new Date(unixMs).toLocaleTimeString("en-GB", {
		hour: "2-digit",
		minute: "2-digit",
		...(withSeconds ? { second: "2-digit" } : {}),
	});
}
