import { defineConfig } from "tsup";

/** What users import. */
const library = defineConfig({
	entry: {
		index: "src/index.ts",
		"ky/index": "src/ky/index.ts",
		"signing/index": "src/signing/index.ts",
		"webhooks/index": "src/webhooks/index.ts",
		// Files of their own, so that `webhooks/index` only exports, and the signature check comes without the schemas.
		"webhooks/verify-signature": "src/webhooks/verify-signature.ts",
		"webhooks/verify-webhook": "src/webhooks/verify-webhook.ts",
		"webhooks/create-webhook-handler": "src/webhooks/create-webhook-handler.ts",
		"webhooks/explain-webhook-failure": "src/doctor/webhooks/explain-webhook-failure.ts",
		"webhooks/express": "src/webhooks/adapters/express.ts",
		"webhooks/node": "src/webhooks/adapters/node.ts",
		"webhooks/next": "src/webhooks/adapters/next.ts",
		"webhooks/fastify": "src/webhooks/adapters/fastify.ts",
		"webhooks/hono": "src/webhooks/adapters/hono.ts",
		"stores/redis": "src/stores/redis.ts",
		"stores/postgres": "src/stores/postgres.ts",
		"stores/sqlite": "src/stores/sqlite.ts",
		"testing/index": "src/local-gateway/index.ts",
		"testing/msw": "src/local-gateway/msw.ts",
		"testing/node": "src/local-gateway/listen.ts",
		"node/index": "src/node/index.ts",
		"opentelemetry/index": "src/opentelemetry/index.ts",
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
