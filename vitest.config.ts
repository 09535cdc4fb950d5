import { globSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { HOOK_TIMEOUT_MS, TEST_TIMEOUT_MS, WAIT_MS } from "./test/support/patience.ts";

/** They put something of their own in the place of a module, which the files beside them must not see. */
const WITH_MOCKED_MODULES = globSync("test/unit/**/*.test.ts").filter((path) =>
	/\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(path, "utf8")),
);

/** Resolves zod in the sources as the build does; a test that declares schemas as a user does gets zod itself. */
const zodSubset: Plugin = {
	name: "zod-subset",
	enforce: "pre",
	resolveId(id, importer) {
		const isOurs = id === "zod/mini" && importer?.startsWith(`${import.meta.dirname}/src/`);
		return isOurs ? `${import.meta.dirname}/src/catalogue/zod-subset/index.ts` : null;
	},
};

export default defineConfig(({ mode }) => ({
	test: {
		projects: [
			{
				extends: true,
				test: {
					name: "unit",
					include: ["test/{unit,contract,types,chaos,portable}/**/*.test.ts"],
					exclude: WITH_MOCKED_MODULES,
				},
			},
			{
				extends: true,
				plugins: [zodSubset],
				test: {
					name: "zod subset",
					env: { SCHEMA_VENDOR: "messaging-gateway" },
					include: ["test/{contract,unit/catalogue,unit/client,unit/control,unit/webhooks}/**/*.test.ts"],
					// Documents are written with zod.
					exclude: [
						...WITH_MOCKED_MODULES,
						"test/contract/{openapi,zod-subset}.test.ts",
						"test/unit/control/control-document.test.ts",
						"test/unit/webhooks/conversation-of.test.ts",
					],
				},
			},
			{
				extends: true,
				test: { name: "mocked modules", include: WITH_MOCKED_MODULES, isolate: true },
			},
			{
				extends: true,
				test: {
					name: "integration",
					include: ["test/{integration,package}/**/*.test.ts"],
					globalSetup: ["test/support/shared/serve-resources.ts"],
				},
			},
		],
		// They keep no global state, so a worker can keep its modules.
		isolate: false,
		setupFiles: ["test/support/unexpected-output.ts"],
		env: mode === "fast" ? { TEST_FEW_CASES: "1" } : {},
		// What leans on a neighbour shows; the seed is printed.
		sequence: { shuffle: process.env["CI"] !== undefined, sequencer: LongestFirst },
		// Many wait for processes and servers that they have started.
		maxWorkers: 4,
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
	// Tests import the package by its name, as users do, and reach the sources.
	resolve: { conditions: ["@messaging-gateway/source"] },
	ssr: { resolve: { conditions: ["@messaging-gateway/source"] } },
}));
