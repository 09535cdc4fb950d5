import { readFileSync } from "node:fs";
import type { PackageManifest } from "../openapi/create-openapi-document.ts";

/** Two folders up, from `src/cli` and from `dist/cli`. */
const MANIFEST_URL = new URL("../../package.json", import.meta.url);

/** The `package.json` of this package. */
export const MANIFEST: PackageManifest = JSON.parse(readFileSync(MANIFEST_URL, "utf8"));

export const VERSION = MANIFEST.version;
