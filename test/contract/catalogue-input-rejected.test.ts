import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import { changedInput, checkInput } from "../support/operation-samples.ts";
import { testOutcomes } from "../support/outcomes.ts";
import { REJECTED_CHANGES, REJECTED_INPUTS } from "./operation-inputs.ts";

describe("invalid inputs", () => {
	testOutcomes(REJECTED_INPUTS, async ([id, changes]) => {
		const outcome = await checkInput(id, changedInput(id, changes));
		const issues = outcome.ok ? [] : outcome.issues;
		const shown = issues.map(({ path, message }) => `${path} ${message}`.trimStart()).join("; ");
		// A message does not quote the value.
		expect(shown).not.toMatch(
			/private|javascript|passwd|toggle|pause|x{9}|1234567890123456|15551234567\/reset/,
		);
		return shown;
	});

	test("every operation with fields is in the table", () => {
		const covered = new Set(REJECTED_CHANGES.map(([id]) => id));
		expect(OPERATIONS.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([
			"settings.getWebhooks",
			"health.check",
		]);
	});
});
