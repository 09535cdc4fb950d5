import { defineConfig } from "vitest/config";
import { HOOK_TIMEOUT_MS, TEST_TIMEOUT_MS, WAIT_MS } from "./test/support/patience.ts";

export default defineConfig({
	// Tests import the package by its name, as users do, and reach the sources.
	resolve: { conditions: ["@messaging-gateway/source"] },
	ssr: { resolve: { conditions: ["@messaging-gateway/source"] } },
	test: {
		include: ["test/**/*.test.ts"],
		testTimeout: TEST_TIMEOUT_MS,
		hookTimeout: HOOK_TIMEOUT_MS,
		expect: { poll: { timeout: WAIT_MS } },
		coverage: {
			provider: "v8",
			include: ["src/**"],
			// They run as processes of their own, and in a browser.
			exclude: ["src/cli/**", "src/console/**"],
			reporter: ["text-summary", "html"],
			thresholds: { lines: 95 },
		},
	},
});
