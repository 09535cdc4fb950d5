import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const ROOT = new URL("../..", import.meta.url);
const text = readFileSync(new URL("SECURITY.md", ROOT), "utf8");

/** The rows of the tables, without their heads. */
const rows = text.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| threat |"));

test("every part lists its threats, and what does not hold", () => {
	const parts = text.split(/^## /m).filter((part) => part.includes("| threat |"));
	expect(parts.map((part) => part.split("\n")[0])).toEqual([
		"Signing requests",
		"Receiving webhooks",
		"The local gateway",
	]);
	for (const part of parts) expect(part).toContain("What does not hold:\n\n- **");
});

test.each(rows)("every row names a test: %s", (row) => {
	expect(row.split(" | ")).toHaveLength(3);
	expect(row.split(" | ")[2]).toMatch(/\]\(test\/[\w./-]+\.test\.ts\)/);
});

describe("the linked files exist", () => {
	const paths = new Set(Array.from(text.matchAll(/\]\(([^)#]+)\)/g), ([, path]) => path ?? ""));

	test.each([...paths])("%s", (path) => {
		expect(existsSync(new URL(path, ROOT))).toBe(true);
	});
});
