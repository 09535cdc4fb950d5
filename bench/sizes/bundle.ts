import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BuildOptions, type BuildResult, build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What may differ from a bundle for a browser. */
interface Differences
	extends Pick<BuildOptions, "platform" | "external" | "minify" | "sourcemap" | "splitting"> {
	/** Where imports are resolved from. @default the root of this repository */
	readonly folder?: string | undefined;
}

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
		external: ["node:*", "msw", ...external],
		outdir: "bundle",
		logLevel: "silent",
		metafile: true,
		write: false,
		...differences,
	});
}
