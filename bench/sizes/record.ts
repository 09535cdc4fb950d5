import { readFileSync, writeFileSync } from "node:fs";
import { findSizeTarget } from "../targets.ts";

/** One row of the record: the measured size, and the size above which the tests fail. */
export interface SizeRow {
	readonly name: string;
	/** Minified and gzipped. */
	readonly bytes: number;
	/** It decreases automatically with the size, and increases only by hand. */
	readonly limit: number;
}

/** Limits are set in steps, so that they do not follow every byte. */
const STEP = 500;

const FILE = new URL("../results/sizes.json", import.meta.url);

/** The recorded sizes. */
export function readRecord(): SizeRow[] {
	return JSON.parse(readFileSync(FILE, "utf8"));
}

/** Records the sizes. */
export function writeRecord(rows: readonly SizeRow[]): void {
	writeFileSync(FILE, `${JSON.stringify(rows, null, "\t")}\n`);
}

/** The row after a measurement: a smaller size lowers the limit, a larger one does not raise it. */
export function updateRow(name: string, bytes: number, recorded: SizeRow | undefined): SizeRow {
	const closeLimit = Math.ceil(bytes / STEP) * STEP;
	const target = findSizeTarget(name) ?? closeLimit;
	// A target that was reached once is the limit from then on.
	const reachable = bytes <= target ? Math.min(closeLimit, target) : closeLimit;
	return { name, bytes, limit: Math.min(recorded?.limit ?? reachable, reachable) };
}
