/** Formats a time of day, such as `14:32:10`. A list formats hundreds, for which `toLocaleTimeString` is too slow. */
export function formatTime(unixMs: number, { withSeconds = true } = {}): string {
	const date = new Date(unixMs);
	const parts = [date.getHours(), date.getMinutes(), ...(withSeconds ? [date.getSeconds()] : [])];
	return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** A duration in the unit that reads best. */
export function formatDuration(ms: number): string {
	if (ms < 1000) return `${Math.max(1, Math.round(ms))} ms`;
	if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`;
	const seconds = Math.round(ms / 1000);
	return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
