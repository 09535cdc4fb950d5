import { fileURLToPath } from "node:url";
import type { Options } from "tsup";
import { finishFiles } from "./scripts/finish-files.ts";
import { type SharedChunk, sharedChunks } from "./scripts/shared-chunks.ts";

/** zod's place in what users and the console load: 8 kB less, and a third of the start. */
const withZodSubset: NonNullable<Options["esbuildOptions"]> = (options) => {
	options.alias = {
		"zod/mini": fileURLToPath(new URL("src/catalogue/zod-subset/index.ts", import.meta.url)),
	};
	options.logOverride = {
		// A name that the subset has not; otherwise only a warning.
		"import-is-undefined": "error",
		// The imports of `sharedChunks` are there for the chunks alone.
		"ignored-bare-import": "silent",
	};
};

/** What the command loads: its verbs, and what a verb imports on demand. */
const COMMAND = ["cli/run-command.ts", "cli/dev/state-file.ts"];

const CALLS = ["entries/index.ts", "entries/ky.ts", "entries/sends.ts", "entries/doctor.ts", ...COMMAND];
const TESTING = ["entries/testing.ts", "entries/testing/node.ts"];
const WEBHOOKS = ["webhooks/with-schemas.ts", "entries/webhooks.ts", "entries/doctor.ts", ...COMMAND];
const VERIFY = ["webhooks/verify-signature.ts", ...WEBHOOKS];
const ADAPTERS = ["express", "node", "fastify", "hono"].map((name) => `entries/webhooks/${name}.ts`);
const STORES = ["redis", "postgres", "sqlite"].map((name) => `entries/stores/${name}.ts`);
const SMALL = ["entries/signing.ts", "entries/node.ts"];
const SMALLEST = ["entries/opentelemetry.ts", "entries/testing/msw.ts"];

/** From what every entry loads to what few do. */
const CHUNKS: SharedChunk[] = [
	{
		modules: [
			"errors.ts",
			"runtime.ts",
			"check-options.ts",
			"signing/bytes.ts",
			"signing/hash.ts",
			"stores/release-late.ts",
			"stores/with-timeout.ts",
			"webhooks/methods.ts",
		],
		entries: [...CALLS, ...TESTING, ...VERIFY, ...ADAPTERS, ...STORES, ...SMALL, ...SMALLEST],
	},
	{
		modules: [
			"catalogue/limits.ts",
			"catalogue/profile.ts",
			"client/media-types.ts",
			"client/safe-cause.ts",
			"signing/base64.ts",
			"signing/loopback.ts",
			"signing/sign-request.ts",
			"signing/uuid.ts",
		],
		entries: [...CALLS, ...TESTING, ...SMALL, ...WEBHOOKS],
	},
	{
		modules: [
			"around.ts",
			"catalogue/check.ts",
			"catalogue/duplicate-info.ts",
			"catalogue/schema.ts",
			"catalogue/shared.ts",
		],
		entries: [...CALLS, ...TESTING, ...WEBHOOKS],
	},
	{
		modules: ["catalogue/index.ts"],
		entries: ["entries/index.ts", "entries/sends.ts", "entries/doctor.ts", ...TESTING, ...COMMAND],
	},
	{
		modules: ["client/resources/messages.ts"],
		entries: ["entries/index.ts", "entries/sends.ts", ...COMMAND],
	},
	{
		modules: ["webhooks/sign-webhook.ts", "webhooks/verify-signature.ts", "webhooks/webhook-response.ts"],
		entries: [...VERIFY, ...TESTING, "entries/webhooks/hono.ts"],
	},
	{
		modules: [
			"webhooks/adapters/assert-handler.ts",
			"webhooks/adapters/drain.ts",
			"webhooks/adapters/respond-node.ts",
		],
		entries: [...ADAPTERS, "entries/testing/node.ts", ...COMMAND],
	},
	{
		modules: ["webhooks/with-schemas.ts"],
		entries: ["webhooks/with-schemas.ts", "entries/webhooks.ts", ...COMMAND],
	},
	{ modules: ["client/call.ts", "client/caller.ts"], entries: CALLS },
];

/** What users import, and the command, which is made of it. */
const library: Options = {
	entry: {
		index: "src/entries/index.ts",
		"doctor/index": "src/entries/doctor.ts",
		"ky/index": "src/entries/ky.ts",
		"signing/index": "src/entries/signing.ts",
		"webhooks/index": "src/entries/webhooks.ts",
		// Apart, so that `webhooks/index` only exports, and the signature check comes without the schemas.
		"webhooks/verify-signature": "src/webhooks/verify-signature.ts",
		"webhooks/with-schemas": "src/webhooks/with-schemas.ts",
		"webhooks/express": "src/entries/webhooks/express.ts",
		"webhooks/node": "src/entries/webhooks/node.ts",
		"webhooks/fastify": "src/entries/webhooks/fastify.ts",
		"webhooks/hono": "src/entries/webhooks/hono.ts",
		"sends/index": "src/entries/sends.ts",
		"stores/redis": "src/entries/stores/redis.ts",
		"stores/postgres": "src/entries/stores/postgres.ts",
		"stores/sqlite": "src/entries/stores/sqlite.ts",
		"testing/index": "src/entries/testing.ts",
		"testing/msw": "src/entries/testing/msw.ts",
		"testing/node": "src/entries/testing/node.ts",
		"node/index": "src/entries/node.ts",
		"opentelemetry/index": "src/entries/opentelemetry.ts",
		"cli/run-command": "src/cli/run-command.ts",
	},
	format: "esm",
	target: "es2022",
	platform: "neutral",
	removeNodeProtocol: false,
	// `#` names files of the command.
	external: [/^node:/, /^#/],
	esbuildOptions(options, context) {
		withZodSubset(options, context);
		options.chunkNames = "shared/[name]-[hash]";
	},
	esbuildPlugins: [sharedChunks(CHUNKS)],
	plugins: [finishFiles()],
	// Each build reports what it bundled, for the list of licences; the package leaves the reports out.
	metafile: true,
	sourcemap: true,
	splitting: true,
	treeshake: true,
};

/** The pages of the console: for browsers, with everything in them. Styles are files, as the policy wants it. */
const console: Options = {
	entry: ["conversations", "docs", "explain"].map((page) => `src/console/pages/${page}.tsx`),
	outDir: "dist/console",
	format: "esm",
	target: "es2022",
	platform: "browser",
	noExternal: [/.*/],
	esbuildOptions: withZodSubset,
	minify: true,
	splitting: true,
	treeshake: true,
	metafile: true,
};

/**
 * The command's first file, which an old Node can read and is told so by, and what needs packages that the library does
 * not have, each loaded by the verb that uses it: JSON Schema is written by zod itself.
 */
const command: Options = {
	entry: {
		"messaging-gateway": "src/cli/main.ts",
		openapi: "src/openapi/create-openapi-document.ts",
		"control-openapi": "src/control/openapi/create-control-document.ts",
		mcp: "src/cli/mcp/serve-mcp.ts",
	},
	outDir: "dist/cli",
	format: "esm",
	target: "node22",
	platform: "node",
	removeNodeProtocol: false,
	noExternal: ["zod", /^@modelcontextprotocol\//],
	esbuildOptions(options) {
		options.alias = {
			"@modelcontextprotocol/server/_shims": fileURLToPath(
				new URL("src/cli/mcp/no-validator.ts", import.meta.url),
			),
		};
	},
	// The verbs, which are in the build of the library.
	external: [/^#/],
	minify: true,
	splitting: true,
	treeshake: true,
	metafile: true,
};

export default [library, console, command];
