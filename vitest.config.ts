import { defineConfig } from "vitest/config";

export default defineConfig({
	// Tests import the package by its name, as users do, and reach the sources.
	resolve: { conditions: ["@messaging-gateway/source"] },
	ssr: { resolve: { conditions: ["@messaging-gateway/source"] } },
	test: {
		include: ["test/**/*.test.ts"],
		// Time enough for a machine that is busy with something else.
		testTimeout: 30_000,
		hookTimeout: 60_000,
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
