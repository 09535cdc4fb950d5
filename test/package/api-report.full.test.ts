import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { API_REPORT_PATH, createApiReport } from "../../scripts/write-api-report.ts";

test("the public surface is as recorded", () => {
	const advice = "the public surface changed: run `npm run api`, look at the difference, and add a changeset";
	expect(createApiReport(), advice).toBe(readFileSync(API_REPORT_PATH, "utf8"));
});
