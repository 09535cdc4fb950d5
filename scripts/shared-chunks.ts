import { readFile } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Options } from "tsup";

/** Modules that are built into one chunk with everything that they import. */
export interface SharedChunk {
	/** Sources, from `src/`. */
	readonly modules: readonly string[];
	/** The entries that load the chunk, from `src/`. */
	readonly entries: readonly string[];
}

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));

/**
 * Builds shared modules into few chunks, because each file that an import loads costs more than the code in it.
 * esbuild makes a chunk for each set of entries that reach a module, so every entry here reaches the whole group.
 */
export function sharedChunks(chunks: readonly SharedChunk[]): NonNullable<Options["esbuildPlugins"]>[number] {
	return {
		name: "shared-chunks",
		setup(build) {
			const missing = new Set(chunks.flatMap(({ entries }) => entries));
			build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
				const source = relative(SOURCES, path).replaceAll(sep, "/");
				missing.delete(source);
				const modules = chunks.flatMap(({ entries, modules }) => (entries.includes(source) ? modules : []));
				if (modules.length === 0) return undefined;
				const imports = modules.map(
					(module) => `import "./${posix.relative(posix.dirname(source), module)}";`,
				);
				// On the first line, so that all keep their numbers in the source map: a chunk has its modules in this order.
				return { contents: [...imports, await readFile(path, "utf8")].join(""), loader: "ts" };
			});
			build.onEnd(() => ({ errors: [...missing].map((entry) => ({ text: `no entry is src/${entry}` })) }));
		},
	};
}

/**
 * Lets the modules of a folder import a module from the file of the entry that exports it, instead of from a chunk that
 * both load: that entry's process then loads a file less.
 */
export function importFromEntry(
	folder: string,
	module: string,
	entry: string,
): NonNullable<Options["esbuildPlugins"]>[number] {
	return {
		name: "import-from-entry",
		setup(build) {
			build.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, importer }) => {
				const from = relative(SOURCES, importer).replaceAll(sep, "/");
				if (!from.startsWith(`${folder}/`)) return undefined;
				if (relative(SOURCES, join(resolveDir, path)).replaceAll(sep, "/") !== module) return undefined;
				// Each entry and each chunk lies in a folder of dist.
				return { path: `../${entry}`, external: true, sideEffects: false };
			});
		},
	};
}
