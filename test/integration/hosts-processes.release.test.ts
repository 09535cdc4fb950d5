import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WORKS } from "../hosts/expected.ts";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";
import { requireVersion } from "../support/versions.ts";

const run = promisify(execFile);
const ENTRY = new URL("../hosts/entries/process.ts", import.meta.url).pathname;

let project: UserProject;
let gateway: ListeningGateway;

beforeAll(async () => {
	project = await createUserProject(DEPENDENCIES);
	gateway = await listen({ rules: "off" });
	const { baseUrl, appId, appSecret } = gateway.clientOptions;
	await build({
		entryPoints: [ENTRY],
		outfile: join(project.folder, "process.js"),
		bundle: true,
		format: "esm",
		external: ["messaging-gateway"],
		define: { GATEWAY: JSON.stringify({ baseUrl, appId, appSecret }) },
		logLevel: "error",
	});
});

afterAll(async () => {
	await gateway?.close();
	project?.remove();
});

/** What a client says that finds no address, or may not look for one. */
const says = (howTo: string) =>
	`ConfigurationError: baseUrl is missing: pass it to the client, or set MESSAGING_GATEWAY_BASE_URL${howTo}`;

const DENO = ["run", "--no-check", "--no-prompt"];
const MAY_NOT_READ = says(", with --allow-env");

test.each<[name: string, findCommand: () => string, args: readonly string[], fromEnvironment: string]>([
	["Node", () => process.execPath, [], says("")],
	["Bun", () => requireVersion("bun"), ["run"], says("")],
	["Deno", () => requireVersion("deno"), [...DENO, "--allow-all"], MAY_NOT_READ],
	["Deno without --allow-env", () => requireVersion("deno"), [...DENO, "--allow-net"], MAY_NOT_READ],
])("%s", async (_name, findCommand, args, fromEnvironment) => {
	expect(await report(findCommand(), args)).toEqual({ cells: WORKS, fromEnvironment });
});

async function report(command: string, args: readonly string[]) {
	const ours = Object.keys(process.env).filter((name) => /^(MESSAGING_GATEWAY_|NODE_OPTIONS$)/.test(name));
	const hidden = Object.fromEntries(ours.map((name) => [name, undefined]));
	const env = { ...process.env, ...hidden, NO_COLOR: "1" };
	const options = { cwd: project.folder, env, timeout: TEST_TIMEOUT_MS };
	const { stdout } = await run(command, [...args, "process.js"], options);
	return JSON.parse(stdout);
}
