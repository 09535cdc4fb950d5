import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import type { Contender, Role, SpeedTable } from "../table.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PEERS = `${ROOT}bench/peers`;

/** The parts of the client: ky, the hashing for runtimes without any, and the schemas that it uses. */
const PARTS = `
export { default } from "ky";
export { hmac } from "@noble/hashes/hmac.js";
export { sha256 } from "@noble/hashes/sha2.js";
export {
	array, boolean, discriminatedUnion, enum, exactOptional, int, literal, looseObject, maxLength, maximum, minLength,
	minimum, nonnegative, nullable, number, object, optional, readonly, record, refine, regex, safeParse, strictObject,
	string, tuple, union, unknown,
} from "zod/mini";
`;

/** What a browser loads at first for one export: bundled, minified and compressed. */
export const table: SpeedTable = {
	title: "Size in a bundle",
	unit: "bytes",
	*openCases() {
		yield {
			name: "minified, gzip",
			rounds: 1,
			measure: async ({ run }) => Number(await run()),
			contenders: [
				ours("MessagingGateway", "messaging-gateway"),
				ours("createWebhookHandler", "messaging-gateway/webhooks"),
				ours("verifyWebhook", "messaging-gateway/webhooks"),
				ours("verifySignature", "messaging-gateway/webhooks"),
				ours("signRequest", "messaging-gateway/signing"),
				...["stripe", "openai", "@linqapp/sdk", "sendblue"].map((name) => peer("default", name)),
				...["standardwebhooks", "svix"].map((name) => peer("Webhook", name)),
				bundle("ky, noble and zod/mini", "floor", PARTS, ROOT),
				bundle("ky", "floor", 'export { default } from "ky";', ROOT),
			],
		};
	},
};

function ours(name: string, entry: string): Contender {
	return bundle(name, "ours", `export { ${name} } from "${entry}";`, ROOT);
}

function peer(name: string, entry: string): Contender {
	return bundle(entry, "peer", `export { ${name} } from "${entry}";`, PEERS);
}

/** Its run gives the bytes. */
function bundle(name: string, role: Role, contents: string, resolveDir: string): Contender {
	return { name, role, run: () => measureBundle(contents, resolveDir) };
}

async function measureBundle(contents: string, resolveDir: string): Promise<number> {
	const { outputFiles, metafile } = await build({
		stdin: { contents, resolveDir },
		bundle: true,
		minify: true,
		splitting: true,
		format: "esm",
		platform: "browser",
		// Some peers import them on Node.
		external: ["node:*", "crypto", "child_process", "fs", "path", "os"],
		outdir: "bundle",
		metafile: true,
		write: false,
		logLevel: "error",
	});
	const first = findFirstFiles(metafile);
	const texts = outputFiles.filter(({ path }) => first.has(basename(path))).map(({ text }) => text);
	if (texts.length === 0) throw new Error("there is no bundle");
	return gzipSync(texts.join("\n"), { level: 9 }).length;
}

/** The files that are loaded at once, without those that are imported dynamically. */
function findFirstFiles({ outputs }: Metafile): Set<string> {
	const first = new Set<string>();
	function visit(path: string): void {
		if (first.has(basename(path))) return;
		first.add(basename(path));
		for (const { kind, path: next } of outputs[path]?.imports ?? []) {
			if (kind === "import-statement" && next in outputs) visit(next);
		}
	}
	for (const [path, { entryPoint }] of Object.entries(outputs)) if (entryPoint === "<stdin>") visit(path);
	return first;
}
