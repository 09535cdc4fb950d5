import { formatCount } from "../stores/format.ts";
import { readLimit, type Verdict } from "./check-targets.ts";
import { type CaseRecord, type ContenderRecord, costOf, speedAgainst, type TableRecord } from "./record.ts";
import type { Unit } from "./table.ts";

/** A cost with its unit, to two digits: on another machine, only the order of magnitude holds. */
export function formatCost(cost: number, unit: Unit): string {
	if (unit === "bytes") return `${formatCount(cost / 1000)} kB`;
	if (unit === "percent") return `${formatCount(cost, 2)} %`;
	if (cost >= 1e6) return `${formatCount(cost / 1e6, 2)} ms`;
	return cost >= 1e3 ? `${formatCount(cost / 1e3, 2)} µs` : `${formatCount(cost, 2)} ns`;
}

/** How many times as fast as the floor of the case. */
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

/** A figure as a document shows it. */
export function formatCell(contender: ContenderRecord, place: CaseRecord, table: TableRecord): string {
	switch (table.shows) {
		case "speed":
			return formatSpeed(contender, place);
		case "cost":
			return formatCost(costOf(contender), table.unit);
		case "rate":
			return formatCount(1e9 / costOf(contender), 2);
	}
}
