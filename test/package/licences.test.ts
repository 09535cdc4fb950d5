import { readFileSync } from "node:fs";
import type { Metafile } from "esbuild";
import { expect, test } from "vitest";
import {
	describeLicences,
	findBundledPackages,
	LICENCES_FILE,
	listPackages,
} from "../../scripts/write-licences.ts";

test("the packages bundled by the library, the console and the command are found", () => {
	const bundled = findBundledPackages();
	for (const name of ["zod", "preact", "commander", "yaml"])
		expect(bundled).toContain(`node_modules/${name}`);
});

test("what users import contains only the hashes, and only two verbs of the command have zod", () => {
	const outputsOf = (path: string): Metafile["outputs"] => JSON.parse(readFileSync(path, "utf8")).outputs;
	const holders = Object.entries({
		...outputsOf("dist/metafile-esm.json"),
		...outputsOf("dist/cli/metafile-esm.json"),
		...outputsOf("dist/console/metafile-esm.json"),
	}).flatMap(([path, output]) => {
		const packages = listPackages({ inputs: {}, outputs: { [path]: output } });
		// What `openapi` and `mcp` share has a name of its own.
		const file = path.replace(/chunk-\w+/, "chunk");
		return path.startsWith("dist/console/") ? [] : packages.map((name) => `${file} has ${name}`);
	});
	expect([...new Set(holders)].sort()).toEqual([
		"dist/cli/chunk.js has node_modules/zod",
		"dist/cli/mcp.js has node_modules/@modelcontextprotocol/core",
		"dist/cli/mcp.js has node_modules/@modelcontextprotocol/server",
		"dist/cli/mcp.js has node_modules/zod",
		"dist/cli/run-command.js has node_modules/commander",
		"dist/cli/yaml.js has node_modules/yaml",
		"dist/shared/chunk.js has node_modules/@noble/hashes",
	]);
	const consoles = listPackages(JSON.parse(readFileSync("dist/console/metafile-esm.json", "utf8")));
	expect(consoles).not.toContain("node_modules/zod");
});

test("every bundled package is listed with its licence: run `npm run licences`", () => {
	expect(readFileSync(LICENCES_FILE, "utf8")).toBe(describeLicences(findBundledPackages()));
});
