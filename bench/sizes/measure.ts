import { builtinModules } from "node:module";
import { gzipSync } from "node:zlib";
import { type Bundle, bundleForUser } from "./bundle.ts";
import type { Subject } from "./subjects.ts";

/** Bundles a subject into one file as its users do: the bytes of it, minified by esbuild and gzipped at level 9. */
export async function measureSize({ code, platform, folder }: Subject): Promise<number> {
	// Packages of others import built-ins without `node:`, too.
	const external = folder === undefined ? [] : [...builtinModules];
	const { outputFiles } = await bundleForUser(code, { platform, folder, external, minify: true });
	return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}

/** The file and those that it needs before it runs. */
export function followImports(
	name: string,
	outputs: Bundle["metafile"]["outputs"],
	seen = new Set<string>(),
): Set<string> {
	if (seen.has(name)) return seen;
	seen.add(name);
	for (const { path, kind, external } of outputs[name]?.imports ?? []) {
		if (kind === "import-statement" && external !== true) followImports(path, outputs, seen);
	}
	return seen;
}
