import { fileURLToPath } from "node:url";
import type { Options } from "tsup";
import { finishFiles } from "./scripts/finish-files.ts";
import { importFromEntry, type SharedChunk, sharedChunks } from "./scripts/shared-chunks.ts";
import { catalogueWithoutNotes } from "./scripts/without-notes.ts";

/** zod's place in what users and the console load: 8 kB less, and a third of the start. */
const withZodSubset: NonNullable<Options["esbuildOptions"]> = (options) => {
	options.alias = {
		"zod/mini": fileURLToPath(new URL("src/library/catalogue/zod-subset/index.ts", import.meta.url)),
	};
	options.logOverride = {
		// A name that the subset has not; otherwise only a warning.
		"import-is-undefined": "error",
		// The imports of `sharedChunks` are there for the chunks alone.
		"ignored-bare-import": "silent",
	};
};

/** The verbs of the command. */
const COMMAND = "tools/cli/run-command.ts";

const LOCAL_GATEWAYS = ["tools/entries/testing.ts", "tools/entries/testing/node.ts", COMMAND];
const CLIENTS = [
	"library/entries/index.ts",
	"library/entries/ky.ts",
	"library/entries/sends.ts",
	"library/entries/maps.ts",
	"tools/entries/doctor.ts",
	...LOCAL_GATEWAYS,
];
const SIGNERS = [
	"library/entries/signing.ts",
	"library/entries/node.ts",
	"library/entries/chat.ts",
	...CLIENTS,
];
const ADAPTERS = ["express", "node", "fastify", "hono"].map((name) => `library/entries/webhooks/${name}.ts`);
const STORES = ["redis", "postgres", "dynamodb", "sqlite", "sqlite-client"].map(
	(name) => `library/entries/stores/${name}.ts`,
);
const OTHERS = [
	"library/entries/webhooks.ts",
	"library/entries/webhooks/capture.ts",
	"library/entries/opentelemetry.ts",
	"tools/entries/testing/msw.ts",
];

/** From what every entry loads to what few do. A file costs as much as some 15 kB in it, and both count. */
const CHUNKS: SharedChunk[] = [
	{
		modules: [
			"library/assert-argument.ts",
			"library/errors.ts",
			"library/identity.ts",
			"library/is-object.ts",
			"library/nearest-name.ts",
			"library/runtime.ts",
			"library/check-options.ts",
			"library/around.ts",
			"library/catalogue/shared.ts",
			"library/signing/bytes.ts",
			"library/signing/hash.ts",
			"library/signing/pasted-secret.ts",
			"library/signing/remembered.ts",
			"library/store-calls/call-store.ts",
			"library/store-calls/lease-time.ts",
			"library/store-calls/store-error.ts",
			"library/store-calls/with-timeout.ts",
			"library/stores/aged-map.ts",
			"library/stores/call-id.ts",
			"library/stores/replaced-options.ts",
			"library/webhooks/adapters/assert-handler.ts",
			"library/webhooks/adapters/drain.ts",
			"library/webhooks/adapters/respond-node.ts",
			"library/webhooks/conversation-of.ts",
			"library/webhooks/methods.ts",
			"library/webhooks/permanent-error.ts",
			"library/webhooks/read-body.ts",
			"library/webhooks/sign-webhook.ts",
			"library/webhooks/verify-webhook.ts",
			"library/webhooks/webhook-response.ts",
			"library/webhooks/wrong-host.ts",
		],
		entries: [...SIGNERS, ...ADAPTERS, ...STORES, ...OTHERS],
	},
	{
		modules: [
			"library/catalogue/handle.ts",
			"library/catalogue/limits.ts",
			"library/catalogue/profile.ts",
			"library/client/bound-caller.ts",
			"library/client/media-types.ts",
			"library/client/safe-cause.ts",
			"library/signing/base64.ts",
			"library/signing/loopback.ts",
			"library/signing/sign-request.ts",
		],
		entries: SIGNERS,
	},
	{
		modules: [
			"library/catalogue/check.ts",
			"library/client/call.ts",
			"library/client/caller.ts",
			"library/client/attachments.ts",
			"library/catalogue/index.ts",
			"library/messaging-gateway.ts",
		],
		entries: CLIENTS,
	},
	{ modules: ["tools/local-gateway/create-local-gateway.ts"], entries: LOCAL_GATEWAYS },
];

/** What users import, and the command, which is made of it. */
const library: Options = {
	entry: {
		index: "src/library/entries/index.ts",
		"doctor/index": "src/tools/entries/doctor.ts",
		"ky/index": "src/library/entries/ky.ts",
		"signing/index": "src/library/entries/signing.ts",
		"webhooks/index": "src/library/entries/webhooks.ts",
		"webhooks/express": "src/library/entries/webhooks/express.ts",
		"webhooks/node": "src/library/entries/webhooks/node.ts",
		"webhooks/fastify": "src/library/entries/webhooks/fastify.ts",
		"webhooks/hono": "src/library/entries/webhooks/hono.ts",
		"webhooks/capture": "src/library/entries/webhooks/capture.ts",
		"sends/index": "src/library/entries/sends.ts",
		"maps/index": "src/library/entries/maps.ts",
		"chat/index": "src/library/entries/chat.ts",
		"stores/redis": "src/library/entries/stores/redis.ts",
		"stores/postgres": "src/library/entries/stores/postgres.ts",
		"stores/dynamodb": "src/library/entries/stores/dynamodb.ts",
		"stores/sqlite": "src/library/entries/stores/sqlite.ts",
		"stores/sqlite-client": "src/library/entries/stores/sqlite-client.ts",
		"testing/index": "src/tools/entries/testing.ts",
		"testing/msw": "src/tools/entries/testing/msw.ts",
		"testing/node": "src/tools/entries/testing/node.ts",
		"node/index": "src/library/entries/node.ts",
		"opentelemetry/index": "src/library/entries/opentelemetry.ts",
		"cli/run-command": "src/tools/cli/run-command.ts",
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
	esbuildPlugins: [
		sharedChunks(CHUNKS),
		importFromEntry("library/chat", "library/webhooks/create-webhook-handler.ts", "webhooks/index.js"),
		catalogueWithoutNotes(),
	],
	plugins: [finishFiles()],
	// Each build reports what it bundled, for the list of licences; the package leaves the reports out.
	metafile: true,
	sourcemap: true,
	splitting: true,
	treeshake: true,
};

/** The pages of the console: for browsers, with everything in them. Styles are files, as the policy wants it. */
export const pages: Options = {
	entry: {
		conversations: "src/tools/console/pages/conversations.tsx",
		docs: "src/tools/console/pages/docs.tsx",
		parts: "src/tools/console/parts/parts.css",
	},
	outDir: "dist/console",
	format: "esm",
	target: "es2022",
	platform: "browser",
	noExternal: [/.*/],
	esbuildOptions: withZodSubset,
	esbuildPlugins: [catalogueWithoutNotes()],
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
		"messaging-gateway": "src/tools/cli/main.ts",
		openapi: "src/tools/openapi/create-openapi-document.ts",
		mcp: "src/tools/cli/mcp/serve-mcp.ts",
		yaml: "src/tools/cli/adopt/parse-yaml.ts",
	},
	outDir: "dist/cli",
	format: "esm",
	target: "node22",
	platform: "node",
	removeNodeProtocol: false,
	noExternal: ["zod", "yaml", /^@modelcontextprotocol\//],
	esbuildOptions(options) {
		options.alias = {
			// Its modules: what it has for Node is CommonJS.
			yaml: fileURLToPath(new URL("node_modules/yaml/browser/index.js", import.meta.url)),
			"@modelcontextprotocol/server/_shims": fileURLToPath(
				new URL("src/tools/cli/mcp/no-validator.ts", import.meta.url),
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

export default [library, pages, command];
