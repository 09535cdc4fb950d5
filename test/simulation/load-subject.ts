import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { MODULES, type Subject } from "./subject.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A change of the sources that breaks a promise. */
export interface Change {
	readonly file: string;
	/** Stands in the file once. */
	readonly find: string;
	readonly replacement: string;
}

/** The package as its sources are, or with a change. */
export async function loadSubject(change?: Change): Promise<Subject> {
	const modules = MODULES.map((path) => `export * from "./src/library/${path}";`);
	const { outputFiles } = await build({
		stdin: { contents: modules.join("\n"), resolveDir: ROOT, loader: "ts" },
		bundle: true,
		format: "esm",
		platform: "node",
		write: false,
		logLevel: "silent",
		plugins: [
			{
				name: "change",
				setup({ onLoad, onResolve }) {
					// One Chat SDK, which a file in another folder would not find by its name.
					onResolve({ filter: /^chat$/ }, () => ({ path: import.meta.resolve("chat"), external: true }));
					if (change === undefined) return;
					onLoad({ filter: new RegExp(`${change.file.replace(/[.]/g, "\\.")}$`) }, ({ path }) => ({
						contents: applyChange(readFileSync(path, "utf8"), change),
						loader: "ts",
					}));
				},
			},
		],
	});
	const folder = mkdtempSync(join(tmpdir(), "simulation-"));
	try {
		const path = join(folder, "subject.mjs");
		writeFileSync(path, outputFiles[0]?.contents ?? "");
		return await import(pathToFileURL(path).href);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function applyChange(source: string, { file, find, replacement }: Change): string {
	const [before, after, ...more] = source.split(find);
	if (before === undefined || after === undefined || more.length > 0)
		throw new Error(`${file} must have this once: ${find}`);
	return before + replacement + after;
}
