import { readFileSync } from "node:fs";

/** Two folders up, from `src/cli` and from `dist/cli`. */
const MANIFEST = new URL("../../package.json", import.meta.url);

const manifest: { version: string } = JSON.parse(readFileSync(MANIFEST, "utf8"));

/** The version of this package. */
export const VERSION = manifest.version;
