/** The units of a duration, in milliseconds. */
export const DURATION_UNITS = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000, ms: 1 } as const;

/** A duration in the largest unit that it is an integer of, such as `90 s` or `10 min`. */
export function describeDuration(ms: number): string {
	const unit = Object.entries(DURATION_UNITS).find(([, size]) => ms >= size && ms % size === 0);
	return unit === undefined ? `${ms} ms` : `${ms / unit[1]} ${unit[0]}`;
}

/** A duration in full seconds, rounded up, in its two largest units, such as `4 min 12 s`. */
export function describeRest(ms: number): string {
	let rest = Math.ceil(ms / 1_000) * 1_000;
	const parts = Object.entries(DURATION_UNITS).flatMap(([unit, size]) => {
		const count = Math.floor(rest / size);
		rest -= count * size;
		return count === 0 ? [] : [`${count} ${unit}`];
	});
	return parts.slice(0, 2).join(" ") || "0 s";
}
