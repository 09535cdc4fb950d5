import { align } from "../stores/align.ts";
import type { Verdict } from "./check-targets.ts";
import { formatCost, formatLimit, formatMeasured, formatSpeed } from "./format.ts";
import {
	type CaseRecord,
	type ContenderRecord,
	costOf,
	type SpeedRecord,
	speedAgainst,
	type TableRecord,
} from "./record.ts";
import type { Unit } from "./table.ts";

/** A run as tables for a terminal. */
export function printRecord({ machine, settings, tables }: SpeedRecord): string {
	return [
		`${machine.cpu}, ${machine.cores} cores, ${machine.platform}, Node ${machine.node}; load before the run ${machine.loadBefore}, at its end ${machine.loadAfter}`,
		`${settings.rounds} rounds, in turns, of ${settings.sliceMs} ms for each contender; medians. × is speed: how many times as fast.`,
		...tables.map(printTable),
	].join("\n\n");
}

/** The targets, and whether each is met. */
export function printVerdicts(verdicts: readonly Verdict[]): string {
	return align([
		["target", "against", "limit", "measured", "where", "verdict"],
		...verdicts.map((verdict) => [
			verdict.target.what,
			verdict.target.against.join(", ") || "-",
			formatLimit(verdict),
			formatMeasured(verdict),
			verdict.worstCase,
			verdict.isMet ? "met" : "MISSED",
		]),
	]);
}

function printTable({ title, unit, cases }: TableRecord): string {
	return [title, ...cases.map((place) => `${place.name}\n${printCase(place, unit)}`)].join("\n\n");
}

function printCase(place: CaseRecord, unit: Unit): string {
	const [first] = place.contenders;
	const figures = (contender: ContenderRecord) => [
		contender.name,
		contender.role,
		formatCost(costOf(contender), unit),
	];
	if (unit !== "ns" || first === undefined) {
		return align([["contender", "role", "figure"], ...place.contenders.map(figures)]);
	}
	return align([
		["contender", "role", "one run", "× ours", "× floor"],
		...place.contenders.map((contender) => [
			...figures(contender),
			speedAgainst(contender, first).toFixed(2),
			formatSpeed(contender, place),
		]),
	]);
}
