import {
	type CaseRecord,
	type ContenderRecord,
	costOf,
	groupByFloor,
	median,
	quartiles,
	type Role,
	rateOf,
	type TableRecord,
} from "./cases.ts";
import { formatCost, formatCount, formatFigure, type TextTable } from "./format.ts";

/** Shows a figure of a contender in a case. */
type Format = (contender: ContenderRecord, place: CaseRecord) => string;

export const FORMATS: Readonly<Record<TableRecord["shows"], Format>> = {
	speed: formatSpeed,
	cost: (contender, { unit }) => formatCost(costOf(contender), unit),
	rate: (contender) => formatCount(rateOf(contender), 2),
};

/** One row for each contender, one column for each case; ours in bold, if there are others. */
export function showTable(
	{ cases, shows }: TableRecord,
	format = FORMATS[shows],
	shown: readonly Role[] = ["ours", "peer", "floor"],
): TextTable {
	const roles = new Map(cases.flatMap(({ contenders }) => contenders.map(({ name, role }) => [name, role])));
	const rows = [...roles].filter(([, role]) => shown.includes(role));
	const isMixed = rows.some(([, role]) => role !== "ours");
	return {
		head: ["", ...cases.map(({ name }) => name)],
		rows: rows.map(([name, role]) => [
			isMixed && role === "ours" ? `**${name}**` : name,
			...cases.map((place) => {
				const contender = place.contenders.find((other) => other.name === name);
				return contender === undefined ? "–" : format(contender, place);
			}),
		]),
	};
}

/** What the other figures of a contender are called. */
const OTHERS: Readonly<Record<string, string>> = { p50Ms: "p50", p99Ms: "p99", blockedMs: "longest block" };

/** A row where users feel it: medians with their spread, beside what is written by hand. */
export function rowTable({ cases, shows }: TableRecord): TextTable {
	const others = Object.keys(cases[0]?.contenders[0]?.more ?? {});
	const hasFloor = cases.some(({ contenders }) => contenders.some(({ role }) => role === "floor"));
	return {
		head: [
			"",
			"median",
			"middle half of the rounds",
			...others.map((figure) => OTHERS[figure] ?? figure),
			...(hasFloor ? ["× by hand"] : []),
		],
		rows: cases.flatMap((place) =>
			place.contenders.map((contender) => {
				const { name, role, costs, more } = contender;
				const label = cases.length === 1 ? name : `${place.name}: ${name}`;
				const format = (cost: number) => formatFigure(cost, place.unit, shows);
				const [lower, upper] = quartiles(costs).toSorted((one, other) =>
					shows === "rate" ? other - one : one - other,
				);
				const floor = place.contenders.find((other) => other.role === "floor");
				const [ours, byHand] = [median(costs), median(floor?.costs ?? [])];
				return [
					role === "ours" ? `**${label}**` : label,
					format(ours),
					`${format(lower ?? ours)} – ${format(upper ?? ours)}`,
					...others.map((figure) => formatCost((more?.[figure] ?? Number.NaN) * 1e6, "ns")),
					...(hasFloor ? [(shows === "rate" ? byHand / ours : ours / byHand).toFixed(2)] : []),
				];
			}),
		),
	};
}

/** Every figure of a table, a line each. */
export function figuresTable({ cases }: TableRecord): TextTable {
	return {
		head: ["case", "contender", "cost", "median", "× floor", ""],
		rows: cases.flatMap((place) =>
			place.contenders.map((contender) => [
				place.name,
				contender.name,
				formatCost(costOf(contender), place.unit),
				formatCost(median(contender.costs), place.unit),
				formatSpeed(contender, place),
				Object.entries(contender.more ?? {})
					.map(([name, figure]) => `${name} ${formatCount(figure)}`)
					.join(", "),
			]),
		),
	};
}

/** How many times as fast as the floor that it is compared with; a run may have recorded it in place of its rounds. */
export function formatSpeed(contender: ContenderRecord, place: CaseRecord): string {
	const floor = groupByFloor(place)
		.find((group) => group.includes(contender))
		?.find(({ role }) => role === "floor");
	const ratio = contender.more?.["ratio"] ?? (floor && costOf(floor) / costOf(contender));
	return ratio?.toFixed(2) ?? "–";
}
