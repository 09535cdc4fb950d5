import type { Limit, Target } from "../targets.ts";
import {
	type CaseRecord,
	type ContenderRecord,
	costOf,
	excessOver,
	findCase,
	findContender,
	findTable,
	type SpeedRecord,
	speedAgainst,
} from "./record.ts";
import type { Unit } from "./table.ts";

/** Whether a run meets a target. */
export interface Verdict {
	readonly target: Target;
	readonly isMet: boolean;
	/** Of all cases the figure that is furthest from the target. */
	readonly measured: number;
	/** Where it was measured. */
	readonly worstCase: string;
	/** The unit of the table's amounts. */
	readonly unit: Unit;
}

/** Compares a run with the targets that concern its tables and its Node. */
export function checkTargets(record: SpeedRecord, targets: readonly Target[]): Verdict[] {
	const names = new Set(record.tables.map(({ name }) => name));
	const major = Number(/^v(\d+)/.exec(record.machine.node)?.[1]);
	return targets
		.filter(({ table, nodes }) => names.has(table) && (nodes?.includes(major) ?? true))
		.map((target) => checkTarget(record, target));
}

function checkTarget(record: SpeedRecord, target: Target): Verdict {
	const table = findTable(record, target.table);
	const cases = target.cases?.map((name) => findCase(table, name)) ?? table.cases;
	const figures = cases.map((place) => ({ name: place.name, value: measureTarget(place, target) }));
	const { isAtLeast, bound } = readLimit(target.limit);
	const [worst = { name: "none", value: Number.NaN }] = figures.toSorted((a, b) =>
		isAtLeast ? a.value - b.value : b.value - a.value,
	);
	const isMet = isAtLeast ? worst.value >= bound : worst.value <= bound;
	return { target, isMet, measured: worst.value, worstCase: worst.name, unit: table.unit };
}

/** The figure that the limit applies to, compared with the best of several. */
function measureTarget(place: CaseRecord, { ours, against, limit }: Target): number {
	const one = findContender(place, ours);
	const others = against.map((name) => findContender(place, name));
	const over = (compare: (one: ContenderRecord, other: ContenderRecord) => number) =>
		others.map((other) => compare(one, other));
	if ("speedAtLeast" in limit) return Math.min(...over(speedAgainst));
	if ("costAtMost" in limit) return Math.max(...over((a, b) => 1 / speedAgainst(a, b)));
	if ("excessAtMost" in limit) return Math.max(...over(excessOver));
	return costOf(one);
}

/** A limit as a number, and on which side of it the figure must be. */
export function readLimit(limit: Limit): { readonly isAtLeast: boolean; readonly bound: number } {
	if ("speedAtLeast" in limit) return { isAtLeast: true, bound: limit.speedAtLeast };
	if ("costAtMost" in limit) return { isAtLeast: false, bound: limit.costAtMost };
	if ("excessAtMost" in limit) return { isAtLeast: false, bound: limit.excessAtMost };
	return { isAtLeast: false, bound: limit.atMost };
}
