import { readFileSync } from "node:fs";
import type { Metafile } from "esbuild";
import { describe, expect, test } from "vitest";
import { followImports, measureSize } from "../../bench/sizes/bundle.ts";
import { readRecord, updateRow } from "../../bench/sizes/record.ts";
import { SUBJECTS } from "../../bench/sizes/subjects.ts";
import { TARGETS } from "../../bench/targets.ts";

/** A record that is further off than this is outdated. */
const TOLERANCE = 0.02;

const record = readRecord();

test("every import is recorded, and nothing else", () => {
	expect(record.map(({ name }) => name)).toEqual(SUBJECTS.map(({ name }) => name));
});

test.each(SUBJECTS)("$name has the size that `npm run sizes` recorded, within its limit", async (subject) => {
	const row = record.find(({ name }) => name === subject.name);
	const bytes = await measureSize(subject);
	expect(bytes).toBeGreaterThan(0);
	expect(bytes).toBeLessThanOrEqual(row?.limit ?? 0);
	expect(share(bytes, row?.bytes)).toBeLessThanOrEqual(TOLERANCE);
});

test.each([
	["conversations", 117_600],
	["docs", 165_000],
	["explain", 100_000],
])("the page %s of the console loads at most %i bytes of scripts and styles at its start", (page, limit) => {
	const { outputs }: Metafile = JSON.parse(readFileSync("dist/console/metafile-esm.json", "utf8"));
	const scripts = [...followImports(`dist/console/${page}.js`, outputs)].map((path) => outputs[path]);
	const styles = scripts.map((script) => outputs[script?.cssBundle ?? ""]);
	const bytes = [...scripts, ...styles].reduce((sum, file) => sum + (file?.bytes ?? 0), 0);
	expect(bytes).toBeGreaterThan(50_000);
	expect(bytes).toBeLessThanOrEqual(limit);
});

describe("a limit", () => {
	const bytes = 4_100;

	test("of a new import is the next half kilobyte", () => {
		expect(updateRow("new", bytes, undefined)).toEqual({ name: "new", bytes, limit: 4_500 });
	});

	test("comes down with the size", () => {
		const row = { name: "smaller", bytes: 5_400, limit: 5_500 };
		expect(updateRow("smaller", bytes, row)).toMatchObject({ bytes: 4_100, limit: 4_500 });
	});

	test("does not go up with it", () => {
		const row = { name: "larger", bytes: 3_900, limit: 4_000 };
		expect(updateRow("larger", bytes, row)).toMatchObject({ bytes: 4_100, limit: 4_000 });
	});

	test("is the target once that is reached, and no target before", () => {
		const targets = TARGETS["size"] ?? [];
		expect(targets.length).toBeGreaterThan(0);
		for (const [, ours, [, target]] of targets) {
			const reached = target - 1;
			expect(updateRow(ours, reached, { name: ours, bytes: reached, limit: 1e9 }).limit).toBe(target);
			expect(updateRow(ours, target + 1, undefined).limit).toBeGreaterThan(target);
		}
	});
});

/** How far a size lies from the recorded one, as a share of it. */
function share(bytes: number, recorded = 0): number {
	return Math.abs(bytes - recorded) / Math.max(recorded, 1);
}
