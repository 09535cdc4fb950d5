import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
	describeLicences,
	findBundledPackages,
	LICENCES_FILE,
	listPackages,
} from "../../scripts/write-licences.ts";

const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-licences-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the packages bundled by the library, the console and the command are found", () => {
	const bundled = findBundledPackages();
	for (const name of ["zod", "preact", "commander"]) expect(bundled).toContain(`node_modules/${name}`);
});

test("zod is in the command alone", () => {
	const packages = (path: string) => listPackages(JSON.parse(readFileSync(path, "utf8")));
	expect(packages("dist/cli/metafile-esm.json")).toContain("node_modules/zod");
	expect(packages("dist/console/metafile-esm.json")).not.toContain("node_modules/zod");
	expect(packages("dist/metafile-esm.json")).toEqual([]);
});

test("every bundled package is listed with its licence: run `npm run licences`", () => {
	expect(readFileSync(LICENCES_FILE, "utf8")).toBe(describeLicences(findBundledPackages()));
});

test("a package counts by its own folder, and only if some of its code is bundled", () => {
	const inputs = {
		"src/entries/index.ts": { bytesInOutput: 10 },
		"node_modules/ky/distribution/index.js": { bytesInOutput: 10 },
		"node_modules/@noble/hashes/hmac.js": { bytesInOutput: 10 },
		"node_modules/outer/node_modules/inner/index.js": { bytesInOutput: 10 },
		"node_modules/shaken/index.js": { bytesInOutput: 0 },
	};
	const output = { inputs, bytes: 40, imports: [], exports: [] };
	expect(listPackages({ inputs: {}, outputs: { "dist/index.js": output } })).toEqual([
		"node_modules/ky",
		"node_modules/@noble/hashes",
		"node_modules/outer/node_modules/inner",
	]);
});

test("a bundled package without a licence file fails", () => {
	writeFileSync(join(folder, "package.json"), `{ "name": "bare", "version": "1.0.0", "license": "MIT" }`);
	expect(() => describeLicences([folder])).toThrow("is bundled, and has no licence file");
	writeFileSync(join(folder, "LICENSE.md"), "Do as you like.\r\n");
	expect(describeLicences([folder])).toContain("bare 1.0.0 (MIT)\n\nDo as you like.\n");
});
