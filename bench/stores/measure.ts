import { createHistogram } from "node:perf_hooks";

/** Something that is measured against others. */
export interface Contender {
	/** Does it once. */
	run(): Promise<unknown>;
}

/** How fast a contender is: how often it is done in a second, and how long one takes. */
export interface Figures {
	readonly perSecond: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
}

/** How it is measured. */
export interface MeasureOptions {
	/** How many asynchronous loops run a contender at the same time. */
	readonly workers: number;
	readonly rounds: number;
	readonly roundMs: number;
}

/**
 * Measures contenders in turns, so that other load of the machine affects all of them.
 * One round before the others is not counted, and each round starts with another contender.
 *
 * @returns the figures of each contender, round by round.
 */
export async function measureInTurns(
	contenders: readonly Contender[],
	{ workers, rounds, roundMs }: MeasureOptions,
): Promise<Map<Contender, Figures[]>> {
	const results = new Map<Contender, Figures[]>(contenders.map((contender) => [contender, []]));
	for (let round = 0; round <= rounds; round++) {
		const first = round % contenders.length;
		for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
			const figures = await measureOnce(contender, workers, roundMs);
			if (round > 0) results.get(contender)?.push(figures);
		}
	}
	return results;
}

async function measureOnce(contender: Contender, workers: number, roundMs: number): Promise<Figures> {
	const latencies = createHistogram();
	const start = performance.now();
	const end = start + roundMs;
	let runs = 0;
	async function work(): Promise<void> {
		for (let before = start; before < end; ) {
			await contender.run();
			const after = performance.now();
			latencies.record(Math.max(1, Math.round((after - before) * 1e6)));
			runs++;
			before = after;
		}
	}
	await Promise.all(Array.from({ length: workers }, work));
	return {
		perSecond: (runs / (performance.now() - start)) * 1000,
		p50Ms: latencies.percentile(50) / 1e6,
		p99Ms: latencies.percentile(99) / 1e6,
	};
}

/** The median of each figure over all rounds, without digits that mean nothing. */
export function medianFigures(rounds: readonly Figures[]): Figures {
	const of = (name: keyof Figures, digits: number) =>
		Number(median(rounds.map((figures) => figures[name])).toFixed(digits));
	return { perSecond: of("perSecond", 0), p50Ms: of("p50Ms", 4), p99Ms: of("p99Ms", 4) };
}

/** The middle one; of an even number of values the upper of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
