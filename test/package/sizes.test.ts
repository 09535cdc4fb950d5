import { readFileSync } from "node:fs";
import type { Metafile } from "esbuild";
import { expect, test } from "vitest";
import { measureSize, readRecord } from "../../scripts/sizes/record.ts";
import { SUBJECTS } from "../../scripts/sizes/subjects.ts";
import { CONSOLE_PAGES } from "../../src/tools/console/page.ts";
import { followImports } from "../support/bundle.ts";

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
	["/", 117_600],
	["/docs", 147_000],
])("the page %s of the console loads at most %i bytes of scripts and styles at its start", (path, limit) => {
	const { outputs }: Metafile = JSON.parse(readFileSync("dist/console/metafile-esm.json", "utf8"));
	const { name = "" } = CONSOLE_PAGES[path] ?? {};
	const scripts = followImports(`dist/console/${name}.js`, outputs);
	const files = [...scripts, "dist/console/parts.css", `dist/console/${name}.css`];
	const bytes = files.reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
	expect(bytes).toBeGreaterThan(50_000);
	expect(bytes).toBeLessThanOrEqual(limit);
});

/** How far a size lies from the recorded one, as a share of it. */
function share(bytes: number, recorded = 0): number {
	return Math.abs(bytes - recorded) / Math.max(recorded, 1);
}
