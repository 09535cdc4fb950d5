import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type * as check from "../../src/library/catalogue/check.ts";
import type * as operations from "../../src/library/catalogue/index.ts";

const FILES = ["check", "index"].map((name) => `export * from "./src/library/catalogue/${name}.ts";`);

/** The catalogue as the library's bundles have it: with the subset in zod's place. */
export async function loadSubsetCatalogue(): Promise<typeof check & typeof operations> {
	const folder = await mkdtemp(join(tmpdir(), "messaging-gateway-catalogue-"));
	const outfile = join(folder, "catalogue.mjs");
	try {
		await build({
			stdin: { contents: FILES.join("\n"), resolveDir: process.cwd() },
			alias: { "zod/mini": "./src/library/catalogue/zod-subset/index.ts" },
			bundle: true,
			format: "esm",
			outfile,
		});
		return await import(pathToFileURL(outfile).href);
	} finally {
		await rm(folder, { recursive: true });
	}
}
