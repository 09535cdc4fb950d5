import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Runs the tests of an example against the sources; a user needs none of this. */
const conditions = ["@messaging-gateway/source"];

const cacheDir = fileURLToPath(new URL("../../node_modules/.vite/examples", import.meta.url));

export default defineConfig({ cacheDir, resolve: { conditions }, ssr: { resolve: { conditions } } });
