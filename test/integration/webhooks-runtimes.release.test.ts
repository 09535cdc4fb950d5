import { cpSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll } from "vitest";
import { createUserProject, type UserProject } from "../support/packed-package.ts";
import { startProcess } from "../support/started-process.ts";
import { requireVersion } from "../support/versions.ts";
import { type ReceiverApp, testReceiver } from "./support/receiver-suite.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** The handler as these runtimes serve it, and beside it a route with the classic mistake. */
const ROUTES = `
import { createObservedHandler } from "./observed-handler.ts";
let webhooks;
async function respond(request, ...platform) {
	webhooks ??= createObservedHandler();
	if (new URL(request.url).pathname === "/mistaken") await request.json();
	return webhooks.fetch(request, ...platform);
}`;

let project: UserProject;

beforeAll(async () => {
	project = await createUserProject();
	cpSync(
		join(ROOT, "test/integration/support/observed-handler.ts"),
		join(project.folder, "observed-handler.ts"),
	);
	project.write(
		"bun.js",
		`${ROUTES}\nBun.serve({ hostname: "127.0.0.1", port: process.env.PORT, fetch: respond });\nconsole.log("ready");`,
	);
	project.write(
		"deno.js",
		`${ROUTES}\nimport process from "node:process";\nDeno.serve({ hostname: "127.0.0.1", port: Number(process.env.PORT), onListen: () => console.log("ready") }, respond);`,
	);
	project.write("worker.js", `${ROUTES}\nexport default { fetch: respond };`);
});

afterAll(() => project?.remove());

const hint = "pass the raw bytes";

testReceiver("Bun", { hint, start: (environment) => start("bun", ["run", "bun.js"], environment) });
testReceiver("Deno", {
	hint,
	start: (environment) => start("deno", ["run", "-A", "--no-check", "deno.js"], environment),
});

testReceiver("Workers", {
	hint,
	async start(environment) {
		const { outputFiles } = await build({
			entryPoints: [join(project.folder, "worker.js")],
			bundle: true,
			format: "esm",
			platform: "browser",
			conditions: ["workerd", "worker"],
			write: false,
			logLevel: "error",
		});
		const worker = new Miniflare({
			modules: true,
			script: outputFiles[0]?.text ?? "",
			bindings: environment,
			compatibilityDate: "2026-07-01",
			compatibilityFlags: ["nodejs_compat"],
			host: "127.0.0.1",
			port: 0,
		});
		const { origin } = await worker.ready;
		return {
			url: `${origin}/webhooks`,
			mistakenUrl: `${origin}/mistaken`,
			[Symbol.asyncDispose]: () => worker.dispose(),
		};
	},
});

async function start(
	name: "bun" | "deno",
	args: readonly string[],
	environment: Record<string, string>,
): Promise<ReceiverApp> {
	const command = requireVersion(name);
	const server = await startProcess(args, { command, cwd: project.folder, environment, ready: /^ready$/ });
	return { ...server, url: `${server.url}/webhooks`, mistakenUrl: `${server.url}/mistaken` };
}
