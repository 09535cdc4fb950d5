import type { Column } from "./column.ts";
import { rowsOf } from "./rows.ts";

/** What failed, and where: a line for each. */
export function listFailures(columns: readonly Column[]): string[] {
	const problems = columns.flatMap(({ name, problem }) =>
		problem === undefined ? [] : [`${name} could not be run: ${problem}`],
	);
	const failed = columns.flatMap(({ name, problem, cells }) =>
		[...cells].flatMap(([row, failure]) =>
			failure === undefined || problem !== undefined ? [] : [{ name, line: `${row}: ${failure}` }],
		),
	);
	const byLine = Map.groupBy(failed, ({ line }) => line);
	const lines = [...byLine].map(([line, group]) => `${line} (${group.map(({ name }) => name).join(", ")})`);
	return [...problems, ...lines];
}

/** Runtime by case, as a table for a terminal. */
export function formatTable(columns: readonly Column[]): string {
	const rows = rowsOf({ hasRequire: true });
	const topics = Map.groupBy(rows, (row) => row.split(": ", 1)[0] ?? "");
	const labelWidth = 2 + Math.max(...rows.map((row) => shorten(row).length));
	// Names of two words stand in two lines.
	const heads = columns.map(({ name }) => [...(name.includes(" ") ? [] : [""]), ...name.split(/ (?!.* )/)]);
	const widths = heads.map((words) => Math.max(...words.map((word) => word.length)));
	const write = (label: string, cellOf: (column: Column, at: number) => string): string => {
		const cells = columns.map((column, at) => cellOf(column, at).padEnd(widths[at] ?? 0));
		return [label.padEnd(labelWidth), ...cells].join("  ").trimEnd();
	};
	const lines = [0, 1].map((line) => write("", (_, at) => heads[at]?.[line] ?? ""));
	for (const [topic, group] of topics) {
		lines.push(topic, ...group.map((row) => write(`  ${shorten(row)}`, (column) => mark(column, row))));
	}
	return lines.join("\n");
}

function mark({ cells }: Column, row: string): string {
	if (!cells.has(row)) return "–";
	return cells.get(row) === undefined ? "✓" : "✗";
}

/** The row without its topic. */
function shorten(row: string): string {
	return row.slice(row.indexOf(": ") + 2);
}
