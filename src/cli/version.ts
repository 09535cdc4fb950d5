import { readFileSync } from "node:fs";

/** The version of this package. Its package.json is two folders up, from `src/cli` and from `dist/cli`. */
export const VERSION: string = readVersion();

function readVersion(): string {
	const manifest: { version: string } = JSON.parse(
		readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
	);
	return manifest.version;
}
