import { expect, test } from "vitest";
import { judgeChanges } from "../mutants/generated/judge-changes.ts";

/** Judges the changes of the file that compares decimal numbers. @returns the names of those that live. */
async function findLiving(tests: string): Promise<{ all: number; living: readonly string[] }> {
	const files = ["src/library/signing/decimal.ts"];
	const changes = await judgeChanges({ files, tests: [tests], processes: 1 });
	const living = changes.filter(({ isKilled }) => !isKilled);
	return { all: changes.length, living: living.map(({ place, name }) => `${place}: ${name}`) };
}

test("changes that tests reach are noticed, a loop without end included, and equal code is not", async () => {
	const { all, living } = await findLiving("test/unit/library/signing/canonical-json");
	expect(all).toBeGreaterThan(30);
	expect(living.length).toBeLessThan(all / 2);
	expect(living.filter((name) => name.startsWith("lastNonZero"))).toEqual([]);
	// `undefined` is as false as `false`.
	expect(living).toContain("isSameDecimal: early return: return false; → return undefined;");
});

test("a change that no test reaches lives", async () => {
	const { all, living } = await findLiving("test/unit/library/signing/nonce-store");
	expect(living).toHaveLength(all);
});

test("without tests nothing is judged", async () => {
	await expect(findLiving("test/unit/library/signing/no-such-test")).rejects.toThrow("no test file");
});
