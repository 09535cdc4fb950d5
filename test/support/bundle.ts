import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, type BuildResult, build, type Plugin } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What may differ from a bundle for a browser. */
interface Differences
	extends Pick<
		BuildOptions,
		"platform" | "format" | "globalName" | "conditions" | "define" | "external" | "minify" | "sourcemap"
	> {
	/** Where imports are resolved from. @default the root of this repository */
	readonly folder?: string | undefined;
}

/** The build's files do not name their source maps, as the package has none. */
const linkMaps: Plugin = {
	name: "link-maps",
	setup({ onLoad }) {
		onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
			if (!existsSync(`${path}.map`)) return undefined;
			return { contents: `${await readFile(path, "utf8")}\n//# sourceMappingURL=${basename(path)}.map` };
		});
	},
};

/** A bundle: its files, and the one that loads first. */
export type Bundle = BuildResult<{ write: false; metafile: true }>;

/** Bundles a user's TypeScript against the built package; built-ins of Node and peers stay imports. */
export async function bundleForUser(
	code: string,
	{ external = [], folder = ROOT, ...differences }: Differences = {},
): Promise<Bundle> {
	if (!existsSync(`${ROOT}dist/index.js`)) throw new Error("There is no build: run `npm run build` first.");
	return build({
		stdin: { contents: code, loader: "ts", resolveDir: folder },
		tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
		bundle: true,
		format: "esm",
		platform: "browser",
		external: ["node:*", "msw", "chat", ...external],
		outdir: "bundle",
		logLevel: "silent",
		metafile: true,
		write: false,
		plugins: differences.sourcemap === undefined ? [] : [linkMaps],
		...differences,
	});
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
