import { readFileSync, writeFileSync } from "node:fs";
import type { Size } from "./measure.ts";

/** One line of the record: what was measured, and what is allowed. */
export interface SizeRow extends Size {
	readonly name: string;
	/** More fails the tests. It comes down with the size by itself, and goes up by hand. */
	readonly limit: number;
	/** What it should come down to. */
	readonly target?: number;
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

/** The row after a measurement: a smaller size lowers the limit, a larger one leaves it to be broken. */
export function updateRow(name: string, size: Size, recorded: SizeRow | undefined): SizeRow {
	const closeLimit = Math.ceil(size.bytes / STEP) * STEP;
	const limit = Math.min(recorded?.limit ?? closeLimit, closeLimit);
	const target = recorded?.target === undefined ? {} : { target: recorded.target };
	return { name, ...size, limit, ...target };
}
