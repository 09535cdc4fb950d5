import { expect, test } from "vitest";
import { readDuration } from "../../../../src/tools/cli/gateway-options.ts";

test.each([
	["500ms", 500],
	["90s", 90_000],
	["90 s", 90_000],
	["5m", 300_000],
	["10min", 600_000],
	["10 min", 600_000],
	["1.5 h", 5_400_000],
	["1.5h", 5_400_000],
	["2d", 172_800_000],
	["0s", 0],
])("%s is %i ms", (value, ms) => expect(readDuration(value)).toBe(ms));

test.each(["", "5", "-5m", "5  m", "5 minutes", "1e3s", "m"])("%j isn't a duration", (value) =>
	expect(() => readDuration(value)).toThrow("isn't a duration"),
);
