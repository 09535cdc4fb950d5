import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createWholeFile } from "../../../../src/tools/cli/whole-file.ts";

let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-whole-file-"));
});

afterEach(() => {
	rmSync(folder, { recursive: true });
});

test("a file is created once and not replaced", () => {
	const path = join(folder, "file");
	expect([createWholeFile(path, "first"), createWholeFile(path, "second")]).toEqual([true, false]);
	expect(readFileSync(path, "utf8")).toBe("first");
	expect(readdirSync(folder)).toEqual(["file"]);
});

test("a failed creation leaves no file behind", () => {
	expect(() => createWholeFile(join(folder, "none", "file"), "content")).toThrow("ENOENT");
	expect(readdirSync(folder)).toEqual([]);
});
