import { describe, expect, test } from "vitest";
import { findProblems, measureRatchets, readRatchets } from "../../scripts/ratchets/record.ts";

test("the surface, what the tools use of the library, and the package only fall", () => {
	expect(findProblems(measureRatchets(), readRatchets())).toEqual([]);
});

describe("a ratchet", () => {
	const recorded = { "public names": { limit: 2, names: ["a", "b"] }, bytes: { limit: 10_000 } };

	test.each([
		["is green at its record", ["a", "b"], 10_000, []],
		[
			"rejects a name above the limit, by its name",
			["a", "b", "c"],
			10_000,
			[expect.stringMatching(/^3 public names, and the limit is 2\..* New: c\.$/)],
		],
		[
			"shows a name that took the place of another",
			["a", "c"],
			10_000,
			[expect.stringMatching(/run `npm run ratchets` after a build\. New: c\. Gone: b\.$/)],
		],
		[
			"asks to record what fell",
			["a"],
			10_000,
			[expect.stringMatching(/^1 public names, and the record has 2: .* Gone: b\.$/)],
		],
		[
			"rejects bytes above the limit",
			["a", "b"],
			20_000,
			[expect.stringMatching(/^20000 bytes, and the limit is 10000/)],
		],
	])("%s", (_what, names, size, problems) => {
		expect(
			findProblems({ "public names": { size: names.length, names }, bytes: { size } }, recorded),
		).toEqual(problems);
	});
});
