import { readFileSync, writeFileSync } from "node:fs";
import { findSizeTarget } from "../targets.ts";
import type { Size } from "./measure.ts";

/** One row of the record: the measured size, and its limit if it has no target. */
export interface SizeRow extends Size {
	readonly name: string;
	/** It decreases automatically with the size, and increases only by hand. */
	readonly limit?: number;
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

/** The size above which the tests fail: the target, or else the limit of the record. */
export function limitOf({ name, limit }: SizeRow): number {
	return findSizeTarget(name) ?? limit ?? 0;
}

/** The row after a measurement: a smaller size lowers the limit, a larger one does not raise it. */
export function updateRow(name: string, size: Size, recorded: SizeRow | undefined): SizeRow {
	if (findSizeTarget(name) !== undefined) return { name, ...size };
	const closeLimit = Math.ceil(size.bytes / STEP) * STEP;
	return { name, ...size, limit: Math.min(recorded?.limit ?? closeLimit, closeLimit) };
}
