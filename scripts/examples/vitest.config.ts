import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { HOOK_TIMEOUT_MS, TEST_TIMEOUT_MS } from "../../test/support/patience.ts";

/** Runs the tests of an example against the sources; a user needs none of this. */
const conditions = ["@messaging-gateway/source"];

const cacheDir = fileURLToPath(new URL("../../node_modules/.vite/examples", import.meta.url));

export default defineConfig({
	cacheDir,
	resolve: { conditions },
	ssr: { resolve: { conditions } },
	test: { testTimeout: TEST_TIMEOUT_MS, hookTimeout: HOOK_TIMEOUT_MS },
});
