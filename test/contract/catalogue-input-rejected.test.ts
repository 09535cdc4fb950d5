import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import { changedInput, checkInput } from "../support/operation-samples.ts";
import { REJECTED_CHANGES } from "./operation-inputs.ts";

describe("invalid inputs", () => {
	test.each(REJECTED_CHANGES)("%s: %s", async (id, _title, changes, paths) => {
		const outcome = await checkInput(id, changedInput(id, changes));
		expect(outcome.ok ? [] : outcome.issues.map(({ path }) => path)).toEqual(paths);
	});

	test.each(REJECTED_CHANGES)(
		"%s: %s, in messages that do not quote the value",
		async (id, _title, changes) => {
			const outcome = await checkInput(id, changedInput(id, changes));
			const said = outcome.ok ? "" : outcome.issues.map(({ message }) => message).join("\n");
			expect(said).not.toContain("Invalid input");
			expect(said).not.toMatch(
				/private|javascript|passwd|toggle|pause|x{9}|1234567890123456|15551234567\/reset/,
			);
		},
	);

	test("every operation with fields is in the table", () => {
		const covered = new Set(REJECTED_CHANGES.map(([id]) => id));
		expect(OPERATIONS.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([
			"settings.getWebhooks",
			"health.check",
		]);
	});
});
