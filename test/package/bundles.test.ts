import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

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
])("%s bundles for a browser, without a Node built-in", async (name, entry) => {
	expect((await bundle(name, entry)).code).not.toMatch(/["']node:/);
});
