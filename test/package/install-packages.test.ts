import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { decideStep, findMissingPackages, requireCommand } from "../../scripts/needed-commands.ts";

const SCRIPT = new URL("../../scripts/install-packages.ts", import.meta.url).pathname;
const ALL = ["redis-server", "postgresql", "pgbouncer", "chromium", "python3"];
const MISSING =
	"the tests need redis-server, postgresql, pgbouncer, chromium, and python3: sudo apt-get install redis-server postgresql pgbouncer chromium python3";

test("the packages of missing commands are known", () => {
	expect(findMissingPackages(() => undefined)).toEqual(ALL);
	expect(findMissingPackages((command) => (command === "postgres" ? undefined : command))).toEqual([
		"postgresql",
	]);
	expect(findMissingPackages((command) => command)).toEqual([]);
});

test.each([
	{ missing: [], isRoot: true, hasApt: true, step: { do: "nothing" } },
	{ missing: ALL, isRoot: false, hasApt: true, step: { do: "stop", line: MISSING } },
	{ missing: ALL, isRoot: true, hasApt: false, step: { do: "stop", line: MISSING } },
	{
		missing: ALL,
		isRoot: true,
		hasApt: true,
		step: {
			do: "install",
			line: "installing redis-server, postgresql, pgbouncer, chromium, python3 with apt-get, since the tests start real ones",
		},
	},
])("$missing missing, root $isRoot, apt $hasApt: $step.do", ({ missing, isRoot, hasApt, step }) => {
	expect(decideStep(missing, isRoot, hasApt)).toEqual(step);
});

test("a server whose command is missing says how to install it", () => {
	expect(() => requireCommand("postgres", () => undefined)).toThrow(
		"the tests need postgresql: sudo apt-get install postgresql",
	);
});

test("the install script prints nothing where nothing is missing", () => {
	const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], { encoding: "utf8" });
	expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
});
