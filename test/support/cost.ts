/** A setup file of vitest: adds what a test file costs to the file that TEST_COSTS names, if it is set. */
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import process from "node:process";
import { afterAll, expect } from "vitest";
import { readCpuSeconds } from "../../scripts/tests/cpu-seconds.ts";

const costs = process.env["TEST_COSTS"];
const atStart = costs === undefined ? 0 : readCpuSeconds();

afterAll(() => {
	if (costs === undefined) return;
	const path = relative(process.cwd(), expect.getState().testPath ?? "");
	appendFileSync(costs, `${JSON.stringify({ file: path, cpuSeconds: readCpuSeconds() - atStart })}\n`);
});
