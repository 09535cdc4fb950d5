import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runColumn } from "./column.ts";
import type { PortableProject } from "./portable-project.ts";
import { CANARY_ROW, REQUIRE_ROW, rowsOf } from "./rows.ts";
import { createProcessRuntime } from "./runtimes/process-runtime.ts";
import type { Runtime } from "./runtimes/runtime.ts";
import { CANARY, CASE_NAMES, type CaseResult } from "./suite.ts";
import { formatTable, listFailures } from "./table.ts";

const RED_CANARY: CaseResult = {
	name: CANARY.name,
	failure: 'Error: a GET: expected "HMAC 0", got "HMAC 1"',
};
const GREEN: readonly CaseResult[] = CASE_NAMES.map((name) => ({ name }));
const FIRST = CASE_NAMES[0] ?? "none";
const PACKED = "file:///tmp/messaging-gateway-user-x/node_modules/messaging-gateway/dist/index.js";

/** The `process.js` of a user's project, for runtimes that print a given output. */
let project: PortableProject;

beforeAll(() => {
	const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-column-"));
	project = {
		folder,
		bundle: () => Promise.reject(new Error("nothing is bundled here")),
		[Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
	};
});

afterAll(() => project[Symbol.asyncDispose]());

function reporting(...results: readonly CaseResult[]): Runtime {
	return { name: "Some 1", hasRequire: false, run: async () => ({ version: "1.0", results }) };
}

/** Node, running this code instead of the suite. */
function running(code: string, version = "24."): Runtime {
	writeFileSync(join(project.folder, "process.js"), code);
	return createProcessRuntime({
		name: "Node",
		findCommand: () => process.execPath,
		version: ["node", version],
	});
}

function printing(report: object): string {
	return `console.log(${JSON.stringify(JSON.stringify(report))})`;
}

test("a runtime that reports every case, and the canary as failed, has passed", async () => {
	const column = await runColumn(reporting(...GREEN, RED_CANARY), project);
	expect([...column.cells.keys()]).toEqual(rowsOf({ hasRequire: false }));
	expect(listFailures([column])).toEqual([]);
	expect(formatTable([column])).not.toContain("✗");
});

test.each([
	["passes", { name: CANARY.name }],
	["fails for another reason", { name: CANARY.name, failure: "TypeError: no Headers" }],
	["is not reported", { name: FIRST }],
])("a canary that %s fails its row", async (_title, canary) => {
	const column = await runColumn(reporting(...GREEN, canary), project);
	expect(listFailures([column])).toEqual([expect.stringMatching(`^${CANARY_ROW}: .* \\(Some 1\\)$`)]);
});

test("a case that failed, and one without a result, are reported with their runtimes", async () => {
	const failed = await runColumn(reporting({ name: FIRST, failure: "Error: no" }, RED_CANARY), project);
	const failures = listFailures([failed, { ...failed, name: "Other" }]);
	expect(failures).toHaveLength(CASE_NAMES.length);
	expect(failures).toContain(`${FIRST}: Error: no (Some 1, Other)`);
	expect(failures).toContain(`${CASE_NAMES[1]}: it was not run (Some 1, Other)`);
	expect(formatTable([failed]).match(/✗/g)).toHaveLength(CASE_NAMES.length);
});

const report = { versions: { node: "24.1.0" }, loadedFrom: PACKED, results: [...GREEN, RED_CANARY] };

test("the output of a process is its result, and require() has its own row", async () => {
	const column = await runColumn(running(printing(report)), project);
	expect([column.problem, column.version]).toEqual([undefined, "24.1.0"]);
	// There is no package in this folder.
	expect(listFailures([column])).toHaveLength(1);
	expect(column.cells.get(REQUIRE_ROW)).toContain("Cannot find module 'messaging-gateway'");
});

test.each<[title: string, createRuntime: () => Runtime, problem: RegExp]>([
	[
		"is missing",
		() => createProcessRuntime({ name: "Bun", findCommand: () => "/none/bun", version: ["bun", "1."] }),
		/^\/none\/bun is missing: run `npm ci`$/,
	],
	[
		"ends with an error",
		() => running("throw new Error('no such API')"),
		/ended with code 1: .*no such API/s,
	],
	["prints something else", () => running("console.log('hello')"), /^it printed no report, but: hello$/m],
	["is another version", () => running(printing(report), "26."), /^its version is 24\.1\.0, not 26\.$/],
	[
		"loads the sources",
		() => running(printing({ ...report, loadedFrom: "file:///repository/src/index.ts" })),
		/^the package was loaded from file:\/\/\/repository\/src\/index\.ts$/,
	],
])("a runtime that %s could not be run, and fails every row", async (_title, createRuntime, problem) => {
	const column = await runColumn(createRuntime(), project);
	expect(column.problem).toMatch(problem);
	expect(listFailures([column])).toEqual([`${column.name} could not be run: ${column.problem}`]);
	expect(formatTable([column])).not.toContain("✓");
});
