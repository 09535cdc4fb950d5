import type { CaseRecord, TableRecord } from "./cases.ts";

/** A table of a document or a terminal. */
export interface TextTable {
	readonly head: readonly string[];
	readonly rows: readonly (readonly string[])[];
}

/** Columns as wide as their widest cell. */
export function align({ head, rows }: TextTable): string {
	const lines = [head, ...rows];
	const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
	return lines
		.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
		.map((line) => line.trimEnd())
		.join("\n");
}

/** A number with as many digits as mean something. */
export function formatCount(value: number, digits = 3): string {
	return value.toLocaleString("en", { maximumSignificantDigits: digits });
}

/** A cost with its unit, to two digits: on another machine, only the order of magnitude holds. */
export function formatCost(cost: number, unit: CaseRecord["unit"]): string {
	if (unit === "bytes")
		return cost >= 1e7 ? `${formatCount(cost / 1e6)} MB` : `${formatCount(cost / 1000)} kB`;
	if (unit === "percent") return `${formatCount(cost, 2)} %`;
	if (unit === "calls") return `${formatCount(cost)} ${unit}`;
	if (cost >= 1e9) return `${formatCount(cost / 1e9, 2)} s`;
	if (cost >= 1e6) return `${formatCount(cost / 1e6, 2)} ms`;
	return cost >= 1e3 ? `${formatCount(cost / 1e3, 2)} µs` : `${formatCount(cost, 2)} ns`;
}

/** What a contender costs, or how often it does the work in a second. */
export function formatFigure(cost: number, unit: CaseRecord["unit"], shows: TableRecord["shows"]): string {
	return shows === "rate" ? `${formatCount(1e9 / cost, 2)} a second` : formatCost(cost, unit);
}
