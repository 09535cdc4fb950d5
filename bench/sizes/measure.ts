import { builtinModules } from "node:module";
import { gzipSync } from "node:zlib";
import { type Bundle, bundleForUser } from "./bundle.ts";
import type { Subject } from "./subjects.ts";

/** Minified by esbuild and gzipped at level 9, in bytes. */
export interface Size {
	/** The code that loads at once. */
	readonly bytes: number;
	/** The code that loads on demand; 0 if there is none. */
	readonly laterBytes: number;
}

/** Bundles a subject as its users do, and measures the loaded code. */
export async function measureSize({ code, platform, folder }: Subject): Promise<Size> {
	// Packages of others import built-ins without `node:`, too.
	const external = folder === undefined ? [] : [...builtinModules];
	return weigh(await bundleForUser(code, { platform, folder, external, minify: true, splitting: true }));
}

function weigh({ outputFiles, metafile }: Bundle): Size {
	const first = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === "<stdin>");
	if (first === undefined) throw new Error("the bundle has no entry");
	const initial = followImports(first[0], metafile.outputs);
	let bytes = 0;
	let laterBytes = 0;
	for (const { path, contents } of outputFiles) {
		const size = gzipSync(contents, { level: 9 }).length;
		if ([...initial].some((name) => path.endsWith(`/${name}`))) bytes += size;
		else laterBytes += size;
	}
	return { bytes, laterBytes };
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
