import { resolve } from "node:path";
import { configDefaults, defineConfig, type Plugin } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { HOOK_TIMEOUT_MS, TEST_TIMEOUT_MS, WAIT_MS } from "./test/support/patience.ts";
import { SEED } from "./test/support/seed.ts";
import {
	filesWithout,
	hasMockedModules,
	listTier,
	TIERS,
	type Tier,
	writesDocuments,
} from "./test/support/tiers.ts";
import { zodSubset } from "./test/support/zod-subset-plugin.ts";

/** The ORMs' folder is a package of its own. Only it has the ORMs, and the name of this package means nothing there. */
const ORMS = `${import.meta.dirname}/test/orms/`;
const MODULES_OF_ORMS = `${import.meta.dirname}/examples/modules/inbox/`;
const ormModules: Plugin = {
	name: "orm-modules",
	enforce: "pre",
	resolveId(id, importer) {
		const isOurs = /^messaging-gateway(\/|$)/.test(id);
		if (isOurs && importer?.startsWith(ORMS)) return this.resolve(id, import.meta.filename);
		if (!isOurs && importer?.startsWith(MODULES_OF_ORMS)) return this.resolve(id, `${ORMS}open.ts`);
		return null;
	},
};

const left = new Set(filesWithout(process.env["TEST_WITHOUT"]));

/** The projects of a tier: a run names them as `TIER*`. */
function projectsOf(tier: Tier) {
	const files = listTier(tier).filter((path) => !left.has(path));
	const documents = files.filter(writesDocuments);
	const mocked = files.filter(hasMockedModules);
	const plain = files.filter((path) => !documents.includes(path) && !mocked.includes(path));
	const globalSetup = ["test/support/shared/serve-resources.ts"];
	const projects = [
		{ plugins: [zodSubset, ormModules], test: { name: tier, include: plain, globalSetup } },
		{ plugins: [zodSubset], test: { name: `${tier}, mocked modules`, include: mocked, isolate: true } },
		{ test: { name: `${tier}, documents`, include: documents } },
	];
	return projects
		.filter(({ test }) => test.include.length > 0)
		.map((project) => ({ ...project, extends: true as const }));
}

/** Another release of Chat SDK than the project's own, by the path of its module. */
const chat = process.env["TEST_CHAT_SDK"];
const alias = chat === undefined ? [] : [{ find: /^chat$/, replacement: resolve(chat) }];

/** The suite of the client once more, over its other transport: what a test scripts then comes from a real server. */
const overNodeHttp = {
	extends: true as const,
	plugins: [zodSubset],
	test: {
		name: "full, over node:http",
		include: listTier("first").filter(
			(path) => /^test\/(unit\/library\/client\/|integration\/client-)/.test(path) && !hasMockedModules(path),
		),
		env: { TEST_TRANSPORT: "node:http" },
	},
};

export default defineConfig({
	test: {
		projects: [...TIERS.flatMap(projectsOf), overNodeHttp],
		exclude: configDefaults.exclude,
		// They keep no global state, so a worker can keep its modules.
		isolate: false,
		setupFiles: [
			"test/support/chance.ts",
			"test/support/cost.ts",
			"test/support/seed.ts",
			"test/support/unexpected-output.ts",
		],
		// A test that depends on its neighbours fails under some seed.
		sequence: { shuffle: true, seed: SEED, sequencer: LongestFirst },
		// Each loads its own modules, so more of them cost more than the waiting that they fill.
		maxWorkers: 2,
		testTimeout: TEST_TIMEOUT_MS,
		hookTimeout: HOOK_TIMEOUT_MS,
		expect: { poll: { timeout: WAIT_MS } },
		coverage: {
			provider: "v8",
			include: ["src/**"],
			// They run as processes of their own, and in a browser.
			exclude: ["src/tools/cli/**", "src/tools/console/**"],
			reporter: ["text-summary", "html"],
			thresholds: { lines: 95 },
		},
	},
	// Tests import the package by its name, as users do, and reach the sources.
	resolve: { conditions: ["@messaging-gateway/source"], alias },
	ssr: { resolve: { conditions: ["@messaging-gateway/source"] } },
});
