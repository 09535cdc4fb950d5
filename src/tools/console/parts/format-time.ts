/** Formats a time of day, such as `14:32:10`. A list formats hundreds, for which `toLocaleTimeString` is too slow. */
export function formatTime(unixMs: number, { withSeconds = true } = {}): string {
	const date = new Date(unixMs);
	const parts = [date.getHours(), date.getMinutes(), ...(withSeconds ? [date.getSeconds()] : [])];
	return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
