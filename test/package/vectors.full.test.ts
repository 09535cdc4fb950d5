import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { requireCommand } from "../../scripts/needed-commands.ts";
import { VECTORS_PATH } from "../../scripts/write-vectors.ts";

const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-vectors-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What Python's standard library computes, without any code of the package. */
function check(vectors: string): { checked: number; differing: string[] } {
	const path = join(folder, "vectors.json");
	writeFileSync(path, vectors);
	const args = ["-B", "test/languages/python/check_vectors.py", path];
	return JSON.parse(execFileSync(requireCommand("python3"), args, { encoding: "utf8" }));
}

const VECTORS = readFileSync(VECTORS_PATH, "utf8");

test("Python computes the same", () => {
	const { checked, differing } = check(VECTORS);
	expect(differing).toEqual([]);
	expect(checked).toBe(VECTORS.match(/^\{"name":/gm)?.length);
});

test.each([
	['"canonical":"[0,0,0,0]"', '"canonical":"[0,-0,0,0]"', "zeros: canonical"],
	["\\n/queue\\n", "\\n/queue?limit=10\\n", "a query, which is not signed: stringToSign"],
	["HMAC ", "HMAC 0", "no body: authorization"],
	['"isValid":true', '"isValid":false', "as documented: isValid"],
])("it notices %s written as %s", (right, wrong, differing) => {
	expect(VECTORS).toContain(right);
	expect(check(VECTORS.replace(right, () => wrong)).differing).toContain(differing);
});
