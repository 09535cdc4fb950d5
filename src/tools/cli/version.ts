import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { PackageManifest } from "../openapi/create-openapi-document.ts";

const require = createRequire(import.meta.url);

/** By the package's own name: the sources and the build are not equally deep. */
const MANIFEST_NAME = "messaging-gateway/package.json";

/** The `package.json` of this package. */
export const MANIFEST: PackageManifest = require(MANIFEST_NAME);

/** The folder of this package. */
export const PACKAGE_FOLDER = new URL(".", pathToFileURL(require.resolve(MANIFEST_NAME)));

export const PACKAGE_VERSION = MANIFEST.version;
