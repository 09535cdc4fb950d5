import { readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { gzipSync } from "node:zlib";
import { bundleForUser } from "../../test/support/bundle.ts";
import type { Subject } from "./subjects.ts";

/** One row of the record: the measured size, and the size above which the tests fail. */
export interface SizeRow {
	readonly name: string;
	/** Minified and gzipped. */
	readonly bytes: number;
	/** It falls with the size, and increases only by hand. */
	readonly limit: number;
}

/** Limits are set in steps, so that they do not follow every byte. */
const STEP = 500;

const FILE = new URL("../../bench/results/sizes.json", import.meta.url);

/** The recorded sizes. */
export function readRecord(): SizeRow[] {
	return JSON.parse(readFileSync(FILE, "utf8"));
}

/** Records the sizes. */
export function writeRecord(rows: readonly SizeRow[]): void {
	writeFileSync(FILE, `${JSON.stringify(rows, null, "\t")}\n`);
}

/** The row after a measurement: the limit falls with the size. */
export function updateRow({ name }: Subject, bytes: number, recorded: SizeRow | undefined): SizeRow {
	const closeLimit = Math.ceil(bytes / STEP) * STEP;
	return { name, bytes, limit: Math.min(recorded?.limit ?? closeLimit, closeLimit) };
}

/** Bundles a subject into one file, as its users do: the bytes, minified by esbuild and gzipped at level 9. */
export async function measureSize({ code, platform, folder }: Subject): Promise<number> {
	// Packages of others import built-ins without `node:`, too.
	const external = folder === undefined ? [] : [...builtinModules];
	const { outputFiles } = await bundleForUser(code, { platform, folder, external, minify: true });
	return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}
