import { formatCount } from "../stores/format.ts";
import { readLimit, type Verdict } from "./check-targets.ts";
import { type CaseRecord, type ContenderRecord, costOf, speedAgainst, type TableRecord } from "./record.ts";
import type { Unit } from "./table.ts";

/** A cost with its unit, to two digits: on another machine, only the order of magnitude holds. */
export function formatCost(cost: number, unit: Unit): string {
	if (unit === "bytes") return `${formatCount(cost / 1000)} kB`;
	if (cost >= 1e6) return `${formatCount(cost / 1e6, 2)} ms`;
	return cost >= 1e3 ? `${formatCount(cost / 1e3, 2)} µs` : `${formatCount(cost, 2)} ns`;
}

/** How many times as fast as the first floor of the case; a size is not a speed. */
export function formatSpeed(contender: ContenderRecord, place: CaseRecord): string {
	const floor = place.contenders.find(({ role }) => role === "floor");
	return floor === undefined ? "–" : speedAgainst(contender, floor).toFixed(2);
}

/** The limit of a target, in words. */
export function formatLimit({ target: { limit }, unit }: Verdict): string {
	const { isAtLeast, bound } = readLimit(limit);
	if (isAtLeast) return `≥ ${bound} × the speed`;
	if ("costAtMost" in limit) return `≤ ${bound} × the cost`;
	const amount = formatCost(bound, unit);
	return "excessAtMost" in limit ? `≤ ${amount} more` : `≤ ${amount}`;
}

/** What was measured, as the limit puts it. */
export function formatMeasured({ target, measured, unit }: Verdict): string {
	const { limit } = target;
	return "speedAtLeast" in limit || "costAtMost" in limit ? measured.toFixed(2) : formatCost(measured, unit);
}

/** For a speed, the ratio of each contender to the floor; otherwise the cost itself. */
export function formatCell(contender: ContenderRecord, place: CaseRecord, table: TableRecord): string {
	return table.unit === "bytes" || table.name === "cold-import"
		? formatCost(costOf(contender), table.unit)
		: formatSpeed(contender, place);
}
