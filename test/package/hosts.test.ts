import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HOSTS } from "../hosts/matrix.ts";

/** The files that run hosts, each with the name by which it asks for its rows. */
const callers = globSync("test/**/*.test.ts", { exclude: (path) => /node_modules$/.test(path) }).flatMap(
	(path) =>
		Array.from(readFileSync(path, "utf8").matchAll(/^testHosts\("([\w.-]+)", \{$/gm), ([, name]) => ({
			path,
			expected: `test/integration/${name}.test.ts`,
		})),
);

test("each test of hosts runs its own rows, and each row has a test", () => {
	for (const { path, expected } of callers) expect(path).toBe(expected);
	const named = HOSTS.map(({ test: name }) => `test/integration/${name}.test.ts`);
	expect(callers.map(({ path }) => path).sort()).toEqual([...new Set(named)].sort());
});

test("each host has a row of its own", () => {
	const names = HOSTS.map(({ name }) => name);
	expect(names).toEqual([...new Set(names)]);
});
