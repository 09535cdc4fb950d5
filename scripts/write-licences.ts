/** Writes the licences of all bundled packages: their code in dist is published with ours. */
import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** Where the licences are listed. The package ships it. */
export const LICENCES_FILE = "THIRD-PARTY-LICENSES.txt";

const INTRODUCTION = "Files in dist hold code of these packages, each under its own licence.\n";

/** The folders of the packages that have code in dist, as the bundler reported when it wrote it. */
export function findBundledPackages(): string[] {
	const metafiles = globSync("dist/**/metafile-esm.json");
	if (metafiles.length === 0) throw new Error("There is no build: run `npm run build` first.");
	const folders = metafiles.flatMap((path) => listPackages(JSON.parse(readFileSync(path, "utf8"))));
	return [...new Set(folders)].sort();
}

/** The folders of the packages with code in the output. */
export function listPackages({ outputs }: Metafile): string[] {
	return Object.values(outputs).flatMap(({ inputs }) =>
		Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
			const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
			return folder === undefined || bytesInOutput === 0 ? [] : [folder];
		}),
	);
}

/** The list, with the name, the version and the whole licence of each package; equal licences appear once. */
export function describeLicences(folders: readonly string[]): string {
	const licences = Map.groupBy(folders.map(readLicence), ({ text }) => text);
	const parts = Array.from(licences, ([text, packages]) =>
		[...packages.map(({ name }) => name), "", text, ""].join("\n"),
	);
	return [INTRODUCTION, ...parts].join(`\n${"=".repeat(80)}\n\n`);
}

function readLicence(folder: string): { readonly name: string; readonly text: string } {
	const manifest: { name: string; version: string; license: string } = JSON.parse(
		readFileSync(join(folder, "package.json"), "utf8"),
	);
	const file = readdirSync(folder).find((name) => /^licen[cs]e(\.\w+)?$/i.test(name));
	if (file === undefined) throw new Error(`${folder} is bundled, and has no licence file`);
	const text = readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim();
	return { name: `${manifest.name} ${manifest.version} (${manifest.license})`, text };
}

if (import.meta.main) writeFileSync(LICENCES_FILE, describeLicences(findBundledPackages()));
