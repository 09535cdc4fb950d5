import { cpSync } from "node:fs";
import { join } from "node:path";
import { build as buildWithEsbuild } from "esbuild";
import { build as buildWithVite } from "vite";
import type { UserProject } from "../support/packed-package.ts";
import type { Gateway } from "./actions.ts";

const SOURCES = new URL(".", import.meta.url).pathname;
const ENTRIES = ["at-start", "service-worker"] as const;

export type Bundler = keyof typeof BUNDLERS;

/** Both split, as they do for users: into `at-start.js`, `service-worker.js`, and what they share. */
export const BUNDLERS = {
	async esbuild(folder: string, define: Record<string, string>) {
		await buildWithEsbuild({
			entryPoints: ENTRIES.map((name) => join(folder, `entries/${name}.ts`)),
			outdir: join(folder, "out"),
			bundle: true,
			splitting: true,
			minify: true,
			format: "esm",
			define,
			logLevel: "error",
		});
	},
	async vite(folder: string, define: Record<string, string>) {
		await buildWithVite({
			root: folder,
			configFile: false,
			logLevel: "error",
			define,
			build: {
				outDir: "out",
				modulePreload: false,
				rolldownOptions: {
					input: Object.fromEntries(ENTRIES.map((name) => [name, join(folder, `entries/${name}.ts`)])),
					output: { entryFileNames: "[name].js" },
				},
			},
		});
	},
};

/** Bundles the actions with the packed package. @returns the folder of the files. */
export async function bundleActions(
	project: UserProject,
	bundler: Bundler,
	gateway: Gateway,
): Promise<string> {
	const folder = join(project.folder, bundler);
	cpSync(SOURCES, folder, { recursive: true });
	await BUNDLERS[bundler](folder, { GATEWAY: JSON.stringify(gateway) });
	return join(folder, "out");
}
