import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WORKS, WORKS_IN_PUBLIC } from "../hosts/expected.ts";
import type { RunnerReport } from "../hosts/runner-report.ts";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";

const run = promisify(execFile);
const MODULES = new URL("../page-simulators/node_modules", import.meta.url).pathname;
const ENTRY = new URL("../hosts/entries/runner.ts", import.meta.url).pathname;

/** What an environment lacks is named. */
const lacks = (name: string) =>
	expect.stringMatching(`^ConfigurationError: this environment has no ${name}: `);

let project: UserProject;
let gateway: ListeningGateway;

beforeAll(async () => {
	if (!existsSync(MODULES))
		throw new Error(
			"the simulated pages are missing: run `npm ci --prefix test/page-simulators`, as `npm run test:release` does.",
		);
	project = await createUserProject(DEPENDENCIES);
	gateway = await listen({ rules: "off" });
	await writeTest("vitest", "vi");
	await writeTest("@jest/globals", "jest");
});

afterAll(async () => {
	await gateway?.close();
	project?.remove();
});

describe("Vitest", () => {
	test.each([
		["jsdom", WORKS_IN_PUBLIC],
		["happy-dom", WORKS_IN_PUBLIC],
		["node", WORKS],
	])("with %s", async (environment, cells) => {
		const args = ["run", "--root", "vi", "--environment", environment, "--disable-console-intercept"];
		expect(await report("vitest/vitest.mjs", args)).toMatchObject({ cells, withFakeTimers: ["read"] });
	});
});

describe("Jest", () => {
	test.each([
		["jest-fixed-jsdom", WORKS_IN_PUBLIC],
		["node", WORKS],
	])("with %s", async (environment, cells) => {
		expect(await reportOfJest(environment)).toMatchObject({ cells, withFakeTimers: ["read"] });
	});

	test("with timers that are fake from the start", async () => {
		const config = JSON.stringify({
			rootDir: join(project.folder, "jest"),
			fakeTimers: { enableGlobally: true },
		});
		expect(await reportOfJest("node", "--config", config)).toMatchObject({
			withFakeTimers: ["read"],
		});
	});

	test("with jsdom alone, which has no fetch", async () => {
		const { cells } = await reportOfJest("jest-environment-jsdom");
		expect(cells).toEqual({
			sign: "works",
			verify: "works",
			handle: "works",
			send: lacks("Response"),
			"local gateway": lacks("Request"),
			guard: WORKS_IN_PUBLIC.guard,
		});
	});
});

/** Writes the test for a runner, whose names a module has. */
async function writeTest(module: string, runner: "vi" | "jest"): Promise<void> {
	const { baseUrl, appId, appSecret } = gateway.clientOptions;
	await build({
		entryPoints: [ENTRY],
		outfile: join(project.folder, `${runner}/host.test.js`),
		bundle: true,
		format: "esm",
		external: ["messaging-gateway"],
		banner: { js: `import { ${runner}, test } from "${module}";` },
		define: { GATEWAY: JSON.stringify({ baseUrl, appId, appSecret }), RUNNER: runner },
		logLevel: "error",
	});
}

function reportOfJest(environment: string, ...more: readonly string[]): Promise<RunnerReport> {
	const inModules = join(MODULES, environment);
	const args = ["--rootDir", "jest", "--env", existsSync(inModules) ? inModules : environment, ...more];
	return report("jest/bin/jest.js", args, { NODE_OPTIONS: "--experimental-vm-modules --no-warnings" });
}

/** Runs the test with a runner of test/page-simulators, which finds the environments beside itself. */
async function report(
	bin: string,
	args: readonly string[],
	environment: Readonly<Record<string, string>> = {},
): Promise<RunnerReport> {
	const options = {
		cwd: project.folder,
		env: { ...process.env, ...environment, NO_COLOR: "1" },
		timeout: TEST_TIMEOUT_MS,
	};
	const { stdout, stderr } = await run(process.execPath, [join(MODULES, bin), ...args], options);
	const found = /REPORT(\{.*\})REPORT/.exec(stdout + stderr)?.[1];
	if (found === undefined) throw new Error(`there is no report: ${stdout}${stderr}`);
	return JSON.parse(found);
}
