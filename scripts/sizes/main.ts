/** `npm run sizes`: measures and records the size of each import, beside its limit. */
import { align } from "../../bench/format.ts";
import { measureSize, readRecord, type SizeRow, updateRow, writeRecord } from "./record.ts";
import { SUBJECTS } from "./subjects.ts";

const recorded = readRecord();
const rows: SizeRow[] = [];
for (const subject of SUBJECTS) {
	const row = recorded.find(({ name }) => name === subject.name);
	rows.push(updateRow(subject, await measureSize(subject), row));
}
writeRecord(rows);

const inKilobytes = (bytes: number) => (bytes / 1000).toFixed(1).padStart(5);
console.log(
	align({
		head: ["kB, minified and gzipped", " size", "limit", "of it"],
		rows: rows.map(({ name, bytes, limit }) => [
			name,
			inKilobytes(bytes),
			inKilobytes(limit),
			`${Math.round((bytes / limit) * 100)} %`.padStart(5),
		]),
	}),
);
if (rows.some(({ bytes, limit }) => bytes > limit)) {
	console.error(
		"\nA size is above its limit: make it smaller, or raise the limit in bench/results/sizes.json.",
	);
	process.exitCode = 1;
}
