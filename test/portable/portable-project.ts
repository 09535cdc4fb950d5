import { join } from "node:path";
import { build } from "esbuild";
import { listen } from "messaging-gateway/testing/node";
import { findFreePort } from "../support/free-port.ts";
import { createUserProject } from "../support/packed-package.ts";
import { WAIT_MS } from "../support/patience.ts";
import type { Servers } from "./portable-case.ts";
import { startTroubledServer } from "./troubled-server.ts";
import { readVectors } from "./vectors.ts";

const ENTRIES = new URL("entries/", import.meta.url).pathname;

/** A project of a user's, with the packed package and the suite in it, and the servers that the suite calls. */
export interface PortableProject extends AsyncDisposable {
	/** Holds `process.js`, `worker.js` and `page.js`, which import the package by its name. */
	readonly folder: string;
	/** Bundles one of them with the package, as its users do for this runtime. */
	bundle(file: string, conditions: readonly string[]): Promise<string>;
}

export async function createPortableProject(): Promise<PortableProject> {
	await using starting = new AsyncDisposableStack();
	const { folder } = starting.adopt(await createUserProject(), (project) => project.remove());
	const { clientOptions } = starting.use(await listen({ rules: "off" }));
	const { url: troubledUrl } = starting.use(await startTroubledServer());
	const { clock: _, profile: _none, ...gateway } = clientOptions;
	const closedUrl = `http://127.0.0.1:${await findFreePort()}`;
	await writeSuite(folder, { gateway, troubledUrl, closedUrl });
	const started = starting.move();
	return {
		folder,
		bundle: (file, conditions) => bundle(join(folder, file), conditions),
		[Symbol.asyncDispose]: () => started.disposeAsync(),
	};
}

/** Writes the suite as JavaScript, since not every runtime reads TypeScript. The package stays outside. */
async function writeSuite(folder: string, servers: Servers): Promise<void> {
	await build({
		entryPoints: ["process", "worker", "page"].map((name) => join(ENTRIES, `${name}.ts`)),
		outdir: folder,
		bundle: true,
		format: "esm",
		target: "es2022",
		external: ["messaging-gateway", "node:*"],
		define: { WRITTEN: JSON.stringify({ vectors: readVectors(), servers, caseLimitMs: WAIT_MS }) },
		logLevel: "error",
	});
}

async function bundle(path: string, conditions: readonly string[]): Promise<string> {
	const { outputFiles, metafile } = await build({
		entryPoints: [path],
		bundle: true,
		format: "esm",
		platform: "browser",
		conditions: [...conditions],
		metafile: true,
		write: false,
		logLevel: "error",
	});
	for (const input of Object.keys(metafile.inputs)) {
		if (input.includes("/node_modules/messaging-gateway/")) assertPacked(input);
	}
	return outputFiles[0]?.text ?? "";
}

/** Makes sure that a file is of the packed package, as it was built. */
export function assertPacked(path: string): void {
	if (!path.includes("/messaging-gateway-user-") || !path.includes("/node_modules/messaging-gateway/dist/")) {
		throw new Error(`the package was loaded from ${path}`);
	}
}
