import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { describe, expect, test, vi } from "vitest";
import { ENTRIES, SINGLE_EXPORTS } from "../../scripts/sizes/subjects.ts";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import builds from "../../tsup.config.ts";
import { bundleForUser } from "../support/bundle.ts";
import { catchError, catchRejection } from "../support/catch-error.ts";
import { listParts } from "./support/bundle-parts.ts";

const HASHES = "@noble/hashes";
const CLIENT = [HASHES, "client", "operations"];
const CLIENT_WITH_KY = [HASHES, "client", "ky"];
const LOCAL_GATEWAY = [HASHES, "local-gateway", "operations"];

/** Everything that each import brings: nothing else may be in it, and a check that sees nothing fails. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
	"messaging-gateway": CLIENT,
	"messaging-gateway/ky": CLIENT_WITH_KY,
	"messaging-gateway/signing": [HASHES],
	"messaging-gateway/webhooks": [HASHES, "stores"],
	"messaging-gateway/webhooks/express": [],
	"messaging-gateway/webhooks/node": [],
	"messaging-gateway/webhooks/fastify": [],
	"messaging-gateway/webhooks/hono": [],
	"messaging-gateway/webhooks/capture": [],
	"messaging-gateway/sends": [HASHES, "client", "operations", "stores"],
	"messaging-gateway/maps": ["operations"],
	"messaging-gateway/chat": [HASHES, "client", "node:async_hooks", "stores"],
	"messaging-gateway/stores/redis": ["stores"],
	"messaging-gateway/stores/dynamodb": ["stores"],
	"messaging-gateway/stores/postgres": ["stores"],
	"messaging-gateway/stores/sqlite": ["node:sqlite", "node:timers", "stores"],
	"messaging-gateway/stores/sqlite-client": ["stores"],
	"messaging-gateway/doctor": [HASHES, "client", "doctor"],
	"messaging-gateway/testing": [...LOCAL_GATEWAY, "conformance", "control"],
	"messaging-gateway/testing/msw": ["local-gateway"],
	"messaging-gateway/testing/node": [...LOCAL_GATEWAY, "node:events", "node:http"],
	"messaging-gateway/node": ["client", "node:diagnostics_channel", "node:path", "node:url"],
	"messaging-gateway/opentelemetry": ["@opentelemetry/api"],
	MessagingGateway: CLIENT,
	verifySignature: [HASHES],
	verifyWebhook: [HASHES],
	"createWebhookHandler + memoryStore": [HASHES, "stores"],
	"MessagingGateway + createSender": CLIENT,
	signRequest: [HASHES],
	verifyRequest: [HASHES],
	canonicalize: [],
	createLocalGateway: LOCAL_GATEWAY,
};

const IMPORTS = [...ENTRIES, ...SINGLE_EXPORTS];

test("the table knows every entry", () => {
	expect(Object.keys(PARTS)).toEqual(IMPORTS.map(({ name }) => name));
});

test.each(IMPORTS)("$name brings what it needs, and nothing else", async ({ name, code, platform }) => {
	const bundle = await bundleForUser(code, { platform, sourcemap: "external" });
	expect(listParts(bundle)).toEqual([...(PARTS[name] ?? [])].sort());
});

test.each(ENTRIES.filter(({ platform }) => platform === "node"))(
	"a browser cannot bundle $name",
	async ({ code }) => {
		await expect(bundleForUser(code)).rejects.toThrow("Could not resolve");
	},
);

describe("an import of types only", () => {
	test.each(ENTRIES)("of $name brings no code", async ({ name, platform }) => {
		// With `verbatimModuleSyntax` the first stays as an import without names.
		for (const clause of ["{ type Any }", "type { Any }"]) {
			const code = `import ${clause} from "${name}";`;
			const { outputFiles } = await bundleForUser(code, { platform, minify: true });
			expect(outputFiles.map(({ text }) => text)).toEqual([""]);
		}
	});
});

test("each source is in one file of the library and the command, so that every entry has the same error classes", () => {
	const { outputs }: Metafile = JSON.parse(readFileSync("dist/metafile-esm.json", "utf8"));
	const files = Object.values(outputs).flatMap(({ inputs }) =>
		Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
	);
	expect(files).toContain("src/library/errors.ts");
	expect(files.filter((path, index) => files.indexOf(path) !== index)).toEqual([]);
});

/** A file that an import loads costs Node as much as some 15 kB in it. */
test.each([
	[["index.js"], 4],
	[["ky/index.js"], 4],
	[["signing/index.js"], 4],
	[["index.js", "node/index.js"], 6],
	[["index.js", "sends/index.js"], 5],
	[["webhooks/index.js"], 2],
	[["webhooks/index.js", "webhooks/express.js", "stores/redis.js"], 4],
	[["webhooks/index.js", "chat/index.js"], 4],
])("an import of %s loads at most %i files", (entries, limit) => {
	const loaded = new Set(entries.map((entry) => join("dist", entry)));
	for (const file of loaded) {
		const code = readFileSync(file, "utf8");
		for (const [, path = ""] of code.matchAll(/^(?:import|export) .*? from '(\..*)';$/gm)) {
			loaded.add(join(dirname(file), path));
		}
	}
	expect(loaded.size).toBeLessThanOrEqual(limit);
});

test("what two entries export by one name is one value, so that instanceof holds across entries", async () => {
	const files = globSync(
		"dist/{*,{webhooks,ky,sends,signing,stores,chat,testing,doctor,opentelemetry}/*}.js",
	);
	const modules = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
	const exported = modules.flatMap((module) => Object.entries<unknown>(module));
	const values = Map.groupBy(exported, ([name]) => name);
	expect(values.get("ConfigurationError")?.length).toBeGreaterThan(10);
	for (const [name, same] of values) expect(new Set(same.map(([, value]) => value)), name).toHaveLength(1);
});

test("no file of the library is loaded on demand: service workers may not import later", () => {
	const files = globSync(
		"dist/{*,{shared,webhooks,ky,sends,signing,stores,chat,testing,doctor,opentelemetry}/*}.js",
	);
	expect(files.length).toBeGreaterThan(20);
	for (const file of files) expect(readFileSync(file, "utf8"), file).not.toMatch(/\bimport\s*\(/);
});

describe("a host with nothing but the language", () => {
	const IN_PAGES = ENTRIES.filter(({ platform }) => platform === "browser");
	/** What others need as soon as they are loaded. */
	const NEEDED: Readonly<Record<string, object>> = {
		"messaging-gateway/ky": { TextEncoder, URL },
	};

	/** Runs a bundle where only these are global, and returns what it exports. */
	async function runBare(
		code: string,
		globals: object = {},
	): Promise<Record<string, (...given: unknown[]) => unknown>> {
		const { outputFiles } = await bundleForUser(code, { format: "iife", globalName: "exported" });
		return runInNewContext(`${outputFiles[0]?.text}\nexported`, globals);
	}

	test.each(IN_PAGES.filter(({ name }) => !/\/(msw|chat|opentelemetry)$/.test(name)))(
		"imports $name",
		async ({ name, code }) => {
			expect(Object.keys(await runBare(code, NEEDED[name]))).not.toEqual([]);
		},
	);

	const USER = `
		import { MessagingGateway } from "messaging-gateway";
		import { signRequest } from "messaging-gateway/signing";
		import { createLocalGateway } from "messaging-gateway/testing";
		import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
		const options = { baseUrl: "https://gateway.example", appId: "a", appSecret: "s", logLevel: "off" };
		const send = (more) => new MessagingGateway({ ...options, ...more })
			.messages.sendText({ to: "+15551234567", text: "Hello" });
		export const client = () => new MessagingGateway();
		export const local = () => createLocalGateway();
		export const sign = () => signRequest({ method: "GET", url: "/mapping", appId: "a", appSecret: "s" });
		export const receive = () =>
			createWebhookHandler({ secret: "s".repeat(20), store: memoryStore(), on: { unknown() {} } });
		export const sendWithFetch = (fetch) => send({ fetch });
		export const sendWithout = () => send({});`;

	/** What is found missing, in our words. */
	const lacks = (name: string) =>
		expect.objectContaining({
			name: "ConfigurationError",
			outcome: "not_sent",
			message: expect.stringMatching(`^This environment has no ${name}: `),
		});

	test("gets an error of ours for what it lacks", async () => {
		const { client, local, sign } = await runBare(USER, { setTimeout, URL });
		expect(catchError(() => client?.())).toEqual(lacks("Headers"));
		expect(catchError(() => local?.())).toEqual(lacks("AbortController"));
		expect(catchError(() => sign?.())).toEqual(lacks("crypto.getRandomValues that works"));
	});

	test("sends nothing whose response it could not read, and receives nothing", async () => {
		const timers = { performance, setTimeout, clearTimeout };
		const web = { AbortController, Headers, Response, URL, URLSearchParams, ...timers };
		const { receive, sendWithFetch, sendWithout } = await runBare(USER, { ...web, crypto, TextEncoder });
		const fetch = vi.fn();
		expect(await catchRejection(Promise.resolve(sendWithFetch?.(fetch)))).toEqual(lacks("TextDecoder"));
		expect(await catchRejection(Promise.resolve(sendWithout?.()))).toEqual(lacks("fetch"));
		expect(fetch).not.toHaveBeenCalled();
		expect(catchError(() => receive?.())).toEqual(lacks("TextDecoder"));
	});
});

test("no file of the library imports another one for its side effects, which bundlers would load at once", () => {
	const files = globSync("dist/{*,shared/*,webhooks/*,ky/*,sends/*,signing/*,stores/*}.js");
	expect(files.length).toBeGreaterThan(15);
	for (const file of files) expect(readFileSync(file, "utf8"), file).not.toMatch(/^import ['"]/m);
});

test("an import brings the operations that it calls, and no others", async () => {
	const { outputFiles } = await bundleForUser('export { createSender } from "messaging-gateway/sends";', {
		minify: true,
	});
	const [code = ""] = outputFiles.map(({ text }) => text);
	const ids = OPERATIONS.map(({ id }) => id).filter((id) => code.includes(`"${id}"`));
	expect(ids.sort()).toEqual([
		"mappings.get",
		"messages.sendAttachments",
		"messages.sendText",
		"messages.sendVoiceNote",
	]);
});

test("no file of the library has what only the OpenAPI document reads", () => {
	const read = (pattern: string) => globSync(pattern).map((path) => readFileSync(path, "utf8"));
	const sources = read("src/library/catalogue/*.ts").join("\n");
	// A single word may have another meaning.
	const names = Array.from(sources.matchAll(/\bschemaOf<(\w+[A-Z]\w+)>\(\s*"/g), ([, name = ""]) => name);
	expect(names).toEqual(expect.arrayContaining(["SendTextFields", "MappingData", "StatusUpdate"]));
	const files = read("dist/{*,{shared,ky,sends,webhooks,chat,testing,doctor,console}/*}.js");
	expect(files.length).toBeGreaterThan(30);
	const strings = new RegExp(`["'](?:${[...names, "slam", "celebration"].join("|")})["']`);
	expect(files.flatMap((code) => strings.exec(code)?.[0] ?? [])).toEqual([]);
});

test("the library and the console are not built with anything of zod that the subset lacks", async () => {
	const results = builds.map(async ({ entry, esbuildOptions }) => {
		const options: BuildOptions = { logLevel: "silent", bundle: true, write: false };
		esbuildOptions?.(options, { format: "esm" });
		const contents = 'import * as z from "zod/mini"; export default z.intersection();';
		const failed = await build({ ...options, stdin: { contents, resolveDir: "." } }).then(
			() => false,
			(error: unknown) => /import "intersection" will always be undefined/i.test(String(error)),
		);
		return [Object.values(entry ?? {})[0], failed];
	});
	expect(await Promise.all(results)).toEqual([
		["src/library/entries/index.ts", true],
		["src/tools/console/pages/conversations.tsx", true],
		["src/tools/cli/main.ts", false],
	]);
});
