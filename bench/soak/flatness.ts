import { median } from "../stores/measure.ts";

/** How much the median may rise in a million runs: less than one byte for each. */
export const TOLERANCE_BYTES = 750_000;

/** Whether the held memory stays the same. */
export interface Flatness {
	/** The median of the tenth of the samples after the first tenth, which is warm-up. */
	readonly afterWarmUp: number;
	/** The median of the last tenth. */
	readonly atEnd: number;
	readonly isFlat: boolean;
}

/** Judges samples taken at equal intervals. */
export function judgeFlatness(samples: readonly number[]): Flatness {
	const tenth = Math.max(1, Math.floor(samples.length / 10));
	const afterWarmUp = median(samples.slice(tenth, 2 * tenth));
	const atEnd = median(samples.slice(-tenth));
	return { afterWarmUp, atEnd, isFlat: atEnd - afterWarmUp <= TOLERANCE_BYTES };
}
