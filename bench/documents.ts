import {
	type CaseRecord,
	type ContenderRecord,
	costOf,
	findNamed,
	groupByFloor,
	median,
	quartiles,
	type Role,
	rateOf,
	speedsAgainst,
	type TableRecord,
} from "./cases.ts";
import { formatBytes, formatCost, formatCount, type TextTable } from "./format.ts";
import type { Run } from "./run.ts";
import { BINDING_MS } from "./stores/times.ts";
import { TABLES } from "./tables.ts";
import { checkTargets, VERDICT_HEAD } from "./targets.ts";

/** The tables of docs/performance.md. */
export function createSpeedTables(run: Run): Readonly<Record<string, TextTable>> {
	const tables = Object.keys(TABLES.speed).map((name) => [`speed-${name}`, showTable(findTable(run, name))]);
	return { ...Object.fromEntries(tables), "speed-targets": targetsTable(run) };
}

/** The tables of docs/scaling.md. */
export function createStoreTables(run: Run): Readonly<Record<string, TextTable>> {
	const [speeds, rates] = [findTable(run, "speeds"), findTable(run, "rates")];
	return {
		"store-calls": showTable(findTable(run, "calls"), (calls) => formatCount(costOf(calls))),
		"store-bytes": showTable(findTable(run, "bytes"), (bytes) => formatCount(costOf(bytes))),
		"store-speeds": showTable(speeds, FORMATS.rate, ["ours"]),
		"store-shares": showTable(speeds, formatSpeed, ["ours"]),
		"store-times": showTable(speeds, formatTimes, ["ours"]),
		"store-rates": showTable(rates),
		"store-rate-times": showTable(rates, formatTimes),
		"store-capacity": capacityTable(run),
	};
}

/** One that was not measured yet has no rows. */
function findTable({ tables }: Run, name: string): TableRecord {
	return tables.find((table) => table.name === name) ?? { name, shows: "cost", cases: [] };
}

/** Shows a figure of a contender in a case. */
type Format = (contender: ContenderRecord, place: CaseRecord) => string;

const FORMATS: Readonly<Record<TableRecord["shows"], Format>> = {
	speed: formatSpeed,
	cost: (contender, { unit }) => formatCost(costOf(contender), unit),
	rate: (contender, place) => formatCount(rateOf(contender, place), 2),
};

/** One row for each contender, one column for each case; ours in bold, if there are others. */
function showTable(
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

/** Every figure of a table, a line each, with the quartiles of its rounds. */
export function figuresTable({ cases }: TableRecord): TextTable {
	return {
		head: ["case", "contender", "cost", "half of the rounds", "× floor", ""],
		rows: cases.flatMap((place) =>
			place.contenders.map((contender) => [
				place.name,
				contender.name,
				formatCost(costOf(contender), place.unit),
				quartiles(contender.costs)
					.map((cost) => formatCost(cost, place.unit))
					.join(" to "),
				formatSpeed(contender, place),
				Object.entries(contender.more ?? {})
					.map(([name, figure]) => `${name} ${formatCount(figure)}`)
					.join(", "),
			]),
		),
	};
}

/** How many times as fast as the floor that it is compared with; a run may have recorded it in place of its rounds. */
function formatSpeed(contender: ContenderRecord, place: CaseRecord): string {
	const floor = groupByFloor(place)
		.find((group) => group.includes(contender))
		?.find(({ role }) => role === "floor");
	const ratio = contender.more?.["ratio"] ?? (floor && median(speedsAgainst(contender, floor)));
	return ratio?.toFixed(2) ?? "–";
}

function formatTimes({ more: { p50Ms = Number.NaN, p99Ms = Number.NaN } = {} }: ContenderRecord): string {
	return `${formatCount(p50Ms, 2)} / ${formatCount(p99Ms, 2)} ms`;
}

/** The targets, and whether each is met. */
export function targetsTable(run: Run): TextTable {
	return { head: VERDICT_HEAD, rows: checkTargets(run).map(({ cells }) => cells) };
}

/** What is kept once a load has lasted for its retention, calculated from the bytes of a run. */
function capacityTable(run: Run): TextTable {
	const { cases } = findTable(run, "bytes");
	const retentions = { "1 hour": 1, "1 day": 24, "7 days": 7 * 24 };
	const createRow = (perSecond: number, [label, hours]: readonly [string, number]) => {
		// A bound delivery is kept as long as a stranger could repeat it, whatever the retention is.
		const counts = [perSecond * hours * 3_600, Math.ceil((perSecond * BINDING_MS) / 1000)];
		const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
		const bytes = ["Redis: memory", "PostgreSQL: disk"].map((store) =>
			sum(cases.map(({ contenders }, at) => (counts[at] ?? 0) * costOf(findNamed(contenders, store)))),
		);
		return [formatCount(perSecond), label, formatRecords(sum(counts)), ...bytes.map(formatBytes)];
	};
	return {
		head: ["events a second", "kept for", "records", "Redis, memory", "PostgreSQL, disk"],
		rows: [10, 1_000, 10_000].flatMap((perSecond) =>
			Object.entries(retentions).map((retention) => createRow(perSecond, retention)),
		),
	};
}

/** Records in thousands, millions or billions. */
function formatRecords(records: number): string {
	if (records >= 1e9) return `${formatCount(records / 1e9, 2)} billion`;
	return records >= 1e6 ? `${formatCount(records / 1e6, 2)} million` : formatCount(records, 2);
}
