import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles one export of the built package for a browser. */
async function bundle(name: string, entry: string): Promise<{ code: string; modules: string[] }> {
	if (!existsSync(`${ROOT}dist/index.js`)) throw new Error("There is no build: run `npm run build` first.");
	const { metafile, outputFiles } = await build({
		stdin: { contents: `export { ${name} } from "messaging-gateway${entry}";`, resolveDir: ROOT },
		bundle: true,
		format: "esm",
		platform: "browser",
		metafile: true,
		write: false,
		logLevel: "error",
	});
	const modules = Object.values(metafile.outputs).flatMap(({ inputs }) =>
		Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
	);
	return { code: outputFiles.map(({ text }) => text).join("\n"), modules };
}

/** zod is part of the built files, so that only its own names tell of it. */
const ZOD = /\$ZodType|ZodMini/;
const KY = expect.stringContaining("node_modules/ky/");

test("the signature check alone brings neither zod nor ky", async () => {
	const { code, modules } = await bundle("verifySignature", "/webhooks");
	expect(code).not.toMatch(ZOD);
	expect(modules).not.toContainEqual(KY);
});

test("narrowing brings zod and the client brings ky, so that the check above can see them", async () => {
	expect((await bundle("verifyWebhook", "/webhooks")).code).toMatch(ZOD);
	expect((await bundle("MessagingGateway", "")).modules).toContainEqual(KY);
});

test.each([
	["MessagingGateway", ""],
	["createWebhookHandler", "/webhooks"],
	["signRequest", "/signing"],
	["createLocalGateway", "/testing"],
	["traceCalls", "/opentelemetry"],
])("%s bundles for a browser, without a Node built-in", async (name, entry) => {
	expect((await bundle(name, entry)).code).not.toMatch(/["']node:/);
});

test.each([
	["MessagingGateway", ""],
	["createWebhookHandler", "/webhooks"],
	["createLocalGateway", "/testing"],
])("%s brings neither the OpenAPI document nor what writes it", async (name, entry) => {
	expect((await bundle(name, entry)).code).not.toMatch(/x-provenance|A registered desktop agent\.|\$defs/);
});

const OPENTELEMETRY = expect.stringContaining("node_modules/@opentelemetry/api/");

test.each([
	["MessagingGateway", ""],
	["createWebhookHandler", "/webhooks"],
])("%s brings nothing of OpenTelemetry", async (name, entry) => {
	expect((await bundle(name, entry)).modules).not.toContainEqual(OPENTELEMETRY);
});

test("traceCalls brings its API and neither the client nor the webhooks", async () => {
	const { modules } = await bundle("traceCalls", "/opentelemetry");
	expect(modules).toContainEqual(OPENTELEMETRY);
	expect(modules).not.toContainEqual(KY);
	expect(modules.filter((path) => path.includes("dist/webhooks/"))).toEqual([]);
});

describe("a diagnosis", () => {
	const OWN_WORD = "credentials_or_dialect";

	test("is a file of its own where the bundler splits, and is only loaded when it is asked for", async () => {
		const { metafile, outputFiles } = await build({
			stdin: { contents: `export { MessagingGateway } from "messaging-gateway";`, resolveDir: ROOT },
			bundle: true,
			format: "esm",
			platform: "browser",
			splitting: true,
			outdir: "bundle",
			metafile: true,
			write: false,
			logLevel: "error",
		});
		const holders = outputFiles.filter(({ text }) => text.includes(OWN_WORD));
		expect(holders).toHaveLength(1);
		const name = holders[0]?.path.split("/").at(-1) ?? "none";
		const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
		const uses = imports.filter(({ path }) => path.endsWith(`/${name}`));
		expect(uses.map(({ kind }) => kind)).toEqual(["dynamic-import"]);
	});

	test("works in a bundle of one file", async () => {
		const { code } = await bundle("MessagingGateway", "");
		expect(code).toContain(OWN_WORD);
		const url = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
		const { MessagingGateway }: typeof import("messaging-gateway") = await import(url);
		const gateway = new MessagingGateway({
			baseUrl: "https://gateway.example",
			appId: "app-1",
			appSecret: "s",
			fetch: async () => new Response("{}", { status: 401 }),
		});
		const { findings, checks } = await gateway.diagnose();
		expect(findings).toMatchObject([{ cause: OWN_WORD }, { cause: "health_unavailable" }]);
		expect(checks.length).toBeGreaterThan(3);
	});
});
