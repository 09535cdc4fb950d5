import { defineConfig } from "tsup";

/** What users import. */
const library = defineConfig({
	entry: {
		index: "src/entries/index.ts",
		"ky/index": "src/entries/ky.ts",
		"signing/index": "src/entries/signing.ts",
		"webhooks/index": "src/entries/webhooks.ts",
		// Files of their own, so that `webhooks/index` only exports, and the signature check comes without the schemas.
		"webhooks/verify-signature": "src/webhooks/verify-signature.ts",
		"webhooks/verify-webhook": "src/webhooks/verify-webhook.ts",
		"webhooks/create-webhook-handler": "src/webhooks/create-webhook-handler.ts",
		"webhooks/explain-webhook-failure": "src/doctor/webhooks/explain-webhook-failure.ts",
		"webhooks/express": "src/entries/webhooks/express.ts",
		"webhooks/node": "src/entries/webhooks/node.ts",
		"webhooks/next": "src/entries/webhooks/next.ts",
		"webhooks/fastify": "src/entries/webhooks/fastify.ts",
		"webhooks/hono": "src/entries/webhooks/hono.ts",
		"stores/redis": "src/entries/stores/redis.ts",
		"stores/postgres": "src/entries/stores/postgres.ts",
		"stores/sqlite": "src/entries/stores/sqlite.ts",
		"testing/index": "src/entries/testing.ts",
		"testing/msw": "src/entries/testing/msw.ts",
		"testing/node": "src/entries/testing/node.ts",
		"node/index": "src/entries/node.ts",
		"opentelemetry/index": "src/entries/opentelemetry.ts",
	},
	format: "esm",
	target: "es2022",
	platform: "neutral",
	removeNodeProtocol: false,
	external: [/^node:/],
	// zod as separate modules costs every cold start about 90 ms; bundled and tree-shaken, about 6.
	noExternal: ["zod"],
	// Each build reports what it bundled, for the list of licences; the package leaves the reports out.
	metafile: true,
	sourcemap: true,
	splitting: true,
	treeshake: true,
});

/** The pages of the console: for browsers, with everything in them. Styles are files, as the policy wants it. */
const console = defineConfig({
	entry: ["conversations", "docs", "explain"].map((page) => `src/console/pages/${page}.tsx`),
	outDir: "dist/console",
	format: "esm",
	target: "es2022",
	platform: "browser",
	noExternal: [/.*/],
	minify: true,
	splitting: true,
	treeshake: true,
	metafile: true,
});

/** The command: for Node, with everything in it but what users install beside it. */
const command = defineConfig({
	entry: { "messaging-gateway": "src/cli/main.ts" },
	outDir: "dist/cli",
	format: "esm",
	target: "node22",
	platform: "node",
	removeNodeProtocol: false,
	noExternal: ["zod", "commander"],
	// So that an old Node can read the first file, which tells it so, and SQLite is only loaded where it is used.
	splitting: true,
	treeshake: true,
	metafile: true,
});

export default [library, console, command];
