import type { DocumentTable } from "../stores/tables.ts";
import { TARGETS } from "../targets.ts";
import { checkTargets } from "./check-targets.ts";
import { formatCell, formatLimit, formatMeasured } from "./format.ts";
import type { SpeedRecord, TableRecord } from "./record.ts";

/** Where and how a run was recorded, in a sentence. */
export function describeSpeedRun({ recordedAt, machine, settings }: SpeedRecord): string {
	return (
		`Recorded on ${recordedAt.slice(0, 10)} with Node ${machine.node.slice(1)} on ${machine.cores} cores (${machine.cpu}); ` +
		`load ${machine.loadBefore} before the run, ${machine.loadAfter} at its end. ` +
		`Medians of ${settings.rounds} rounds, in each of which every contender ran for ${settings.sliceMs} ms in turn.\n`
	);
}

/** The tables of docs/performance.md. */
export function createSpeedTables(record: SpeedRecord): Readonly<Record<string, DocumentTable>> {
	return {
		...Object.fromEntries(record.tables.map((table) => [`speed-${table.name}`, contendersTable(table)])),
		"speed-targets": targetsTable(record),
	};
}

/** One row for each contender, one column for each case; ours in bold. */
function contendersTable(table: TableRecord): DocumentTable {
	const { cases } = table;
	const contenders = new Map(
		cases.flatMap(({ contenders }) => contenders.map(({ name, role }) => [name, role] as const)),
	);
	return {
		head: ["", ...cases.map(({ name }) => name)],
		rows: [...contenders].map(([name, role]) => [
			role === "ours" ? `**${name}**` : name,
			...cases.map((place) => {
				const contender = place.contenders.find((other) => other.name === name);
				return contender === undefined ? "–" : formatCell(contender, place, table);
			}),
		]),
	};
}

function targetsTable(record: SpeedRecord): DocumentTable {
	return {
		head: ["what", "compared with", "target", "measured", "where it is worst", ""],
		rows: checkTargets(record, TARGETS).map((verdict) => [
			verdict.target.what,
			verdict.target.against.join(", ") || "–",
			formatLimit(verdict),
			formatMeasured(verdict),
			verdict.worstCase,
			verdict.isMet ? "met" : "**missed**",
		]),
	};
}
