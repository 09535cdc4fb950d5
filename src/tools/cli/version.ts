import { createRequire } from "node:module";
import type { PackageManifest } from "../openapi/create-openapi-document.ts";

/** The `package.json` of this package, by its own name: the sources and the build are not equally deep. */
export const MANIFEST: PackageManifest = createRequire(import.meta.url)("messaging-gateway/package.json");

export const VERSION = MANIFEST.version;
