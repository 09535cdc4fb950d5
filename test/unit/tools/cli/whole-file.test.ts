import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWholeFile } from "../../../../src/tools/cli/whole-file.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

test("a file is created once and not replaced", () => {
	const folder = temporaryFolder();
	const path = join(folder, "file");
	expect([createWholeFile(path, "first"), createWholeFile(path, "second")]).toEqual([true, false]);
	expect(readFileSync(path, "utf8")).toBe("first");
	expect(readdirSync(folder)).toEqual(["file"]);
});

test("a failed creation leaves no file behind", () => {
	const folder = temporaryFolder();
	expect(() => createWholeFile(join(folder, "none", "file"), "content")).toThrow("ENOENT");
	expect(readdirSync(folder)).toEqual([]);
});
