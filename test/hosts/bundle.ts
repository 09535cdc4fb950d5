import { cpSync } from "node:fs";
import { join } from "node:path";
import { build as buildWithEsbuild } from "esbuild";
import type { ListeningGateway } from "messaging-gateway/testing/node";
import { build as buildWithVite } from "vite";
import type { UserProject } from "../support/packed-package.ts";
import { readSnippets } from "../support/read-snippets.ts";
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

/** A page and a service worker, built by Vite with the configuration of the guide: the folder of the site. */
export async function bundleAsInGuide(project: UserProject, gateway: ListeningGateway): Promise<string> {
	const folder = join(project.folder, "guide");
	cpSync(SOURCES, folder, { recursive: true });
	const config = readSnippets().find(({ code }) => code.startsWith("// vite.config.ts\n"));
	const files = {
		"vite.config.ts": config?.code ?? "",
		"index.html": '<!doctype html><script type="module" src="entries/at-start.ts"></script>',
		"service-worker.ts": 'import "./entries/service-worker.ts";',
	};
	for (const [name, content] of Object.entries(files)) project.write(join("guide", name), content);
	await buildWithVite({ root: folder, logLevel: "error", define: defineGateway(gateway) });
	return join(folder, "dist");
}

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
