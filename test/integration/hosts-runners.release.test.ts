import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Cells } from "../hosts/actions.ts";
import { defineGateway } from "../hosts/define-gateway.ts";
import type { RunnerReport } from "../hosts/runner-report.ts";
import { testHosts } from "../hosts/test-hosts.ts";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";

const run = promisify(execFile);
const MODULES = new URL("../page-simulators/node_modules", import.meta.url).pathname;
const ENTRY = new URL("../hosts/entries/runner.ts", import.meta.url).pathname;

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

testHosts("hosts-runners.release", {
	Vitest: cellsOfVitest,
	"Vitest with a page": cellsOfVitest,
	Jest: cellsOfJest,
	"Jest with a page": cellsOfJest,
	"Jest with a page that has no `fetch`": async (environment) => (await reportOfJest(environment)).cells,
});

test.each(["node", "jest-fixed-jsdom"])(
	"Jest in %s, with timers that are fake from the start",
	async (environment) => {
		const config = JSON.stringify({
			rootDir: join(project.folder, "jest"),
			fakeTimers: { enableGlobally: true },
		});
		expectSettled(await reportOfJest(environment, "--config", config));
	},
);

test("in a page of Jest there is no `setImmediate`", async () => {
	expect(await reportOfJest("jest-fixed-jsdom")).toMatchObject({ hasImmediate: false });
});

test("in a page without `TextEncoder` the import of ky fails, as the note of its row says", async () => {
	const code = `
		import { test } from "@jest/globals";
		test("ky", async () => void (await import("messaging-gateway/ky")));`;
	project.write("ky/ky.test.js", code);
	const args = ["--rootDir", "ky", "--env", join(MODULES, "jest-environment-jsdom")];
	await expect(runJest(args)).rejects.toMatchObject({
		stderr: expect.stringContaining("ReferenceError: TextEncoder is not defined"),
	});
});

async function cellsOfVitest(environment: string): Promise<Cells> {
	const args = ["run", "--root", "vi", "--environment", environment, "--disable-console-intercept"];
	return expectSettled(await readReport(runModule("vitest/vitest.mjs", args)));
}

async function cellsOfJest(environment: string): Promise<Cells> {
	return expectSettled(await reportOfJest(environment));
}

/** Nobody advanced a timer, and `settled()` awaited everything. */
function expectSettled({ cells, withFakeTimers, fromTimer }: RunnerReport): Cells {
	expect({ withFakeTimers, fromTimer }).toEqual({ withFakeTimers: ["read"], fromTimer: ["read"] });
	return cells;
}

/** Writes the test for a runner, whose names a module has. */
async function writeTest(module: string, runner: "vi" | "jest"): Promise<void> {
	await build({
		entryPoints: [ENTRY],
		outfile: join(project.folder, `${runner}/host.test.js`),
		bundle: true,
		format: "esm",
		external: ["messaging-gateway"],
		banner: { js: `import { ${runner}, test } from "${module}";` },
		define: { ...defineGateway(gateway), RUNNER: runner },
		logLevel: "error",
	});
}

function reportOfJest(environment: string, ...more: readonly string[]): Promise<RunnerReport> {
	const inModules = join(MODULES, environment);
	const args = ["--rootDir", "jest", "--env", existsSync(inModules) ? inModules : environment, ...more];
	return readReport(runJest(args));
}

function runJest(args: readonly string[]): Promise<Output> {
	return runModule("jest/bin/jest.js", args, { NODE_OPTIONS: "--experimental-vm-modules --no-warnings" });
}

/** What a runner wrote. */
interface Output {
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs a runner of test/page-simulators, which finds the environments beside itself. */
function runModule(
	bin: string,
	args: readonly string[],
	environment: Readonly<Record<string, string>> = {},
): Promise<Output> {
	const options = {
		cwd: project.folder,
		env: { ...process.env, ...environment, NO_COLOR: "1" },
		timeout: TEST_TIMEOUT_MS,
	};
	return run(process.execPath, [join(MODULES, bin), ...args], options);
}

async function readReport(running: Promise<Output>): Promise<RunnerReport> {
	const { stdout, stderr } = await running;
	const found = /REPORT(\{.*\})REPORT/.exec(stdout + stderr)?.[1];
	if (found === undefined) throw new Error(`there is no report: ${stdout}${stderr}`);
	return JSON.parse(found);
}
