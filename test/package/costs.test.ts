import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sumCosts, type TestCosts } from "../../scripts/tests/test-costs.ts";
import { listTier } from "../support/tiers.ts";

/** What `npm test` may cost, in CPU-seconds: two cores need two minutes for it. */
const BUDGET = 240;

const costs: TestCosts = JSON.parse(readFileSync(new URL("../costs.json", import.meta.url), "utf8"));

/** The record is then out of date: above its budget it could never be measured again, and a new file is not in it. */
const isMeasuring = process.env["TEST_COSTS"] !== undefined;

test("what `npm test` cost when it was measured is within its budget", () => {
	expect(sumCosts(costs)).toBeLessThanOrEqual(isMeasuring ? Infinity : BUDGET);
});

test.skipIf(isMeasuring)(
	"every file of the first tier was measured, and `npm run costs` measures a new one",
	() => {
		expect(Object.keys(costs.files)).toEqual(listTier("first"));
	},
);
