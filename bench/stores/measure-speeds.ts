import { createPair, OPERATIONS, type Operation, type Pair } from "./contenders.ts";
import {
	type Contender,
	type Figures,
	type MeasureOptions,
	measureInTurns,
	median,
	medianFigures,
} from "./measure.ts";
import type { Speed } from "./record.ts";
import type { Subject } from "./subject.ts";

/** How many loops there are at the same time. */
export const WORKERS = [1, 8, 64] as const;

/**
 * Measures every operation of every subject beside its raw peer.
 * @param onStep - called with the next step.
 * @returns the speeds by the subject's name.
 */
export async function measureSpeeds(
	subjects: readonly Subject[],
	options: Pick<MeasureOptions, "rounds" | "roundMs">,
	onStep: (step: string) => void,
): Promise<Map<string, Speed[]>> {
	const speeds = new Map<string, Speed[]>(subjects.map(({ name }) => [name, []]));
	for (const operation of OPERATIONS) {
		for (const workers of WORKERS) {
			onStep(`${subjects.map(({ name }) => name).join("; ")}: ${operation}, ${workers} workers`);
			const pairs = subjects.map((subject) => createPair(subject, operation));
			const rounds = await measureInTurns(pairs.flatMap(contendersOf), { ...options, workers });
			for (const pair of pairs) {
				speeds.get(pair.subject.name)?.push(summarize(pair, operation, workers, rounds));
			}
			for (const subject of subjects) await subject.reset();
		}
	}
	return speeds;
}

function contendersOf({ store, raw }: Pair): Contender[] {
	return raw === undefined ? [store] : [store, raw];
}

function summarize(
	{ store, raw }: Pair,
	operation: Operation,
	workers: number,
	rounds: ReadonlyMap<Contender, readonly Figures[]>,
): Speed {
	const storeRounds = rounds.get(store) ?? [];
	const speed = { operation, workers, store: medianFigures(storeRounds) };
	if (raw === undefined) return speed;
	const rawRounds = rounds.get(raw) ?? [];
	const ratios = storeRounds.map(
		({ perSecond }, round) => perSecond / (rawRounds[round]?.perSecond ?? Number.NaN),
	);
	return { ...speed, raw: medianFigures(rawRounds), ratio: Number(median(ratios).toFixed(2)) };
}
