import { cpSync } from "node:fs";
import { join } from "node:path";
import { build as buildWithEsbuild } from "esbuild";
import type { ListeningGateway } from "messaging-gateway/testing/node";
import { build as buildWithVite } from "vite";
import type { UserProject } from "../support/packed-package.ts";
import { defineGateway } from "./define-gateway.ts";

const SOURCES = new URL(".", import.meta.url).pathname;
const ENTRIES = ["at-start", "service-worker"] as const;

/** Both split, as they do for users: into `at-start.js`, `service-worker.js`, and what they share. */
const BUNDLERS = {
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
	async Vite(folder: string, define: Record<string, string>) {
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

/** The actions with the packed package, in a folder for each bundler. */
export async function bundleActions(
	project: UserProject,
	gateway: ListeningGateway,
): Promise<ReadonlyMap<string, string>> {
	const folders = new Map<string, string>();
	for (const [bundler, build] of Object.entries(BUNDLERS)) {
		const folder = join(project.folder, bundler);
		cpSync(SOURCES, folder, { recursive: true });
		await build(folder, defineGateway(gateway));
		folders.set(bundler, join(folder, "out"));
	}
	return folders;
}
