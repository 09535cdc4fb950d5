import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { describeOldNode } from "../../src/tools/cli/node-version.ts";
import { requireVersion } from "../support/versions.ts";

const FOLDER = new URL("../../dist/cli/", import.meta.url);
const MAIN = new URL("messaging-gateway.js", FOLDER).pathname;

const run = promisify(execFile);

test.each(["22.13.0", "22.99.1", "23.0.0", "24.21.0", "100.0.0"])("Node %s is new enough", (version) => {
	expect(describeOldNode(version)).toBeUndefined();
});

test.each(["0.12.18", "18.20.8", "20.20.2", "21.99.0", "22.12.0", "22.2.0"])(
	"Node %s is too old",
	(version) => {
		const [, oldest = "none"] = manifest.engines.node.split(">=");
		expect(describeOldNode(version)).toBe(
			`messaging-gateway needs Node ${oldest} or newer; this is ${version}`,
		);
	},
);

test("on an old Node the command fails with one line", async () => {
	const pretend = `Object.defineProperty(process, "versions", { value: { node: "20.20.2" } })`;
	const args = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, MAIN, "--version"];
	await expect(run(process.execPath, args)).rejects.toMatchObject({
		code: 1,
		stdout: "",
		stderr: "messaging-gateway needs Node 22.13 or newer; this is 20.20.2\n",
	});
});

test("the version check loads nothing that an old Node lacks", () => {
	expect([...findStaticImports("messaging-gateway.js")].sort()).toEqual(["node:process"]);
	// Checks that findStaticImports finds imports at all.
	expect([...findStaticImports("run-command.js")]).toContain("node:util");
});

test("the oldest supported Node runs it without a warning", async () => {
	const { stdout, stderr } = await run(requireVersion("node-22.13"), [MAIN, "--version"]);
	expect([stdout, stderr]).toEqual([`${manifest.version}\n`, ""]);
});

/** The modules that a built file and its chunks import statically. */
function findStaticImports(file: string): Set<string> {
	const specifiers = Array.from(
		read(file).matchAll(/\bimport(?:[^"'()]*from)?\s*["']([^"']+)["'];/g),
		([, name]) => name ?? "",
	);
	return new Set(
		specifiers.flatMap((name) =>
			name.startsWith(".") ? [...findStaticImports(join(dirname(file), name))] : [name],
		),
	);
}

function read(file: string): string {
	return readFileSync(new URL(file, FOLDER), "utf8");
}
