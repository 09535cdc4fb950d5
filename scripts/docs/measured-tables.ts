/** The tables of the guides that show what was measured. */
import { type ContenderRecord, costOf, findNamed, type TableRecord } from "../../bench/cases.ts";
import { FORMATS, formatSpeed, rowTable, showTable } from "../../bench/documents.ts";
import { formatCount, type TextTable } from "../../bench/format.ts";
import type { Run } from "../../bench/run.ts";
import { BINDING_MS } from "../../bench/stores/times.ts";
import { goalsTable, ROWS, targetsTable } from "../../bench/targets.ts";

/** The tables of docs/performance.md. */
export function createSpeedTables(run: Run): Readonly<Record<string, TextTable>> {
	const rows = ROWS.map((name) => [`speed-${name}`, rowTable(findTable(run, name))]);
	return {
		"speed-goals": goalsTable(run),
		...Object.fromEntries(rows),
		"speed-size": showTable(findTable(run, "size")),
		"speed-ceilings": targetsTable(run, "ceilings"),
	};
}

/** The tables of docs/performance.md. */
export function createStoreTables(run: Run): Readonly<Record<string, TextTable>> {
	const [speeds, rates] = [findTable(run, "speeds"), findTable(run, "rates")];
	return {
		"store-calls": showTable(findTable(run, "calls"), (calls) => formatCount(costOf(calls))),
		"store-bytes": showTable(findTable(run, "bytes"), (bytes) => formatCount(costOf(bytes))),
		"store-speeds": showTable(speeds, FORMATS.rate, ["ours"]),
		"store-shares": showTable(speeds, formatSpeed, ["ours"]),
		"store-rates": showTable(rates),
		"store-rate-times": showTable(rates, formatTimes),
		"store-capacity": capacityTable(run),
	};
}

/** One that was not measured yet has no rows. */
function findTable({ tables }: Run, name: string): TableRecord {
	return tables.find((table) => table.name === name) ?? { name, shows: "cost", cases: [] };
}

function formatTimes({ more: { p50Ms = Number.NaN, p99Ms = Number.NaN } = {} }: ContenderRecord): string {
	return `${formatCount(p50Ms, 2)} / ${formatCount(p99Ms, 2)} ms`;
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

/** Bytes in the largest unit of which there is one, to two digits. */
function formatBytes(bytes: number): string {
	if (bytes >= 1e12) return `${formatCount(bytes / 1e12, 2)} TB`;
	if (bytes >= 1e9) return `${formatCount(bytes / 1e9, 2)} GB`;
	return `${formatCount(bytes / 1e6, 2)} MB`;
}
