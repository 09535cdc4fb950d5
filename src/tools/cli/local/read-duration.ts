import { usageError } from "../failure.ts";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Reads a duration such as `500ms`, `90s`, `5m`, `1.5h` or `2d`, in milliseconds. */
export function readDuration(value: string): number {
	const [, count, unit] = DURATION.exec(value) ?? [];
	if (unit === undefined) throw usageError(`${value} is not a duration`, "Write 500ms, 90s, 5m, 1h or 2d.");
	// The pattern has the same units.
	return Math.round(Number(count) * UNITS[unit as keyof typeof UNITS]);
}
