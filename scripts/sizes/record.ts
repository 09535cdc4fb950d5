import { readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { gzipSync } from "node:zlib";
import { findSizeTarget } from "../../bench/targets.ts";
import { bundleForUser, followImports } from "../../test/support/bundle.ts";
import type { Subject } from "./subjects.ts";

/** One row of the record: the measured size, and the size above which the tests fail. */
export interface SizeRow {
	readonly name: string;
	/** Minified and gzipped. */
	readonly bytes: number;
	/** The target, once it is reached; it increases only by hand. */
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

/** The row after a measurement. A target that is reached is the limit; without one, the limit falls with the size. */
export function updateRow({ name, place }: Subject, bytes: number, recorded: SizeRow | undefined): SizeRow {
	const closeLimit = Math.ceil(bytes / STEP) * STEP;
	const target = findSizeTarget(name.replace(", split", ""), place ?? "one file") ?? 0;
	const limit = Math.max(target, Math.min(recorded?.limit ?? closeLimit, closeLimit));
	return { name, bytes, limit };
}

/**
 * Bundles a subject as its users do: the bytes minified by esbuild and gzipped at level 9, of all in one file, or of the
 * files that load at first where a bundler splits what loads on demand.
 */
export async function measureSize(
	{ code, platform, folder, ...subject }: Subject,
	place: "split" | "one file" = subject.place ?? "one file",
): Promise<number> {
	// Packages of others import built-ins without `node:`, too.
	const external = folder === undefined ? [] : [...builtinModules];
	const splitting = place === "split";
	const bundle = await bundleForUser(code, { platform, folder, external, minify: true, splitting });
	const files = followImports("bundle/stdin.js", bundle.metafile.outputs);
	return bundle.outputFiles
		.filter(({ path }) => [...files].some((name) => path.endsWith(name)))
		.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}
