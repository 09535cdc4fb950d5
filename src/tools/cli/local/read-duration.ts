import { DURATION_UNITS } from "../../local-gateway/duration.ts";
import { usageError } from "../failure.ts";

const UNITS: Readonly<Record<string, number>> = { ...DURATION_UNITS, m: DURATION_UNITS.min };

/** Reads a duration such as `500 ms`, `90 s`, `10 min`, `1.5 h` or `2 d`, with or without the space, in milliseconds. */
export function readDuration(value: string): number {
	const [, count, unit = ""] = /^(\d+(?:\.\d+)?) ?([a-z]+)$/.exec(value) ?? [];
	const size = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
	if (size === undefined)
		throw usageError(`${value} is not a duration`, "Write 500 ms, 90 s, 10 min, 1 h or 2 d.");
	return Math.round(Number(count) * size);
}
