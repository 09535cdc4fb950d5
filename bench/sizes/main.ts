/** `npm run sizes`: measures and records the size of each import, beside its limit. */
import { measureSize } from "./measure.ts";
import { readRecord, type SizeRow, updateRow, writeRecord } from "./record.ts";
import { SUBJECTS } from "./subjects.ts";

const recorded = readRecord();
const rows: SizeRow[] = [];
for (const subject of SUBJECTS) {
	const row = recorded.find(({ name }) => name === subject.name);
	rows.push(updateRow(subject.name, await measureSize(subject), row));
}
writeRecord(rows);
printTable([
	["kB, minified and gzipped", "size", "limit", "of it"],
	...rows.map((row) => [
		row.name,
		inKilobytes(row.bytes),
		inKilobytes(row.limit),
		`${Math.round((row.bytes / row.limit) * 100)} %`,
	]),
]);
if (rows.some((row) => row.bytes > row.limit)) {
	console.error(
		"\nA size is above its limit: make it smaller, or raise the limit in bench/results/sizes.json.",
	);
	process.exitCode = 1;
}

function inKilobytes(bytes: number): string {
	return (bytes / 1000).toFixed(1);
}

function printTable(lines: readonly (readonly string[])[]): void {
	const widths = (lines[0] ?? []).map((_, column) =>
		Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
	);
	for (const cells of lines) {
		const [name = "", ...figures] = cells.map((cell, column) =>
			column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
		);
		console.log([name, ...figures].join("  "));
	}
}
