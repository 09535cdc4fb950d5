import { readFileSync } from "node:fs";

/** The version of this package. The manifest stands two folders up, from the sources as from what is built. */
export const VERSION: string = readVersion();

function readVersion(): string {
	const manifest: { version: string } = JSON.parse(
		readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
	);
	return manifest.version;
}
