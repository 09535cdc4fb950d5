import type { CaseRecord } from "../speed/record.ts";

/**
 * A case of memory that must not grow, from samples that were taken at equal intervals: those of the last tenth beside
 * those of the tenth after the first one, which is warm-up.
 */
export function compareSamples(name: string, samples: readonly number[]): CaseRecord {
	const tenth = Math.max(1, Math.floor(samples.length / 10));
	return compareEnds(name, samples.slice(tenth, 2 * tenth), samples.slice(-tenth));
}

/** A case of memory before and after something, in pairs. */
export function compareEnds(name: string, before: readonly number[], after: readonly number[]): CaseRecord {
	return {
		name,
		contenders: [
			{ name: "at the end", role: "ours", costs: after },
			{ name: "after warm-up", role: "floor", costs: before },
		],
	};
}
