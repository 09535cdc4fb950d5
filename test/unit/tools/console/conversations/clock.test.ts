import { describe, expect, test } from "vitest";
import {
	describeOffset,
	formatCountdown,
	formatTime,
	gatewayNow,
} from "../../../../../src/tools/console/conversations/state/clock.ts";

describe("the gateway's time", () => {
	test("runs between two readings, and never backwards", () => {
		const clock = { now: 1_000, offsetMs: 0, readAt: 50 };
		expect(gatewayNow(clock, 80)).toBe(1_030);
		expect(gatewayNow(clock, 20)).toBe(1_000);
	});

	test("is formatted as a time of day", () => {
		const at = new Date(2026, 10, 21, 4, 5, 6).getTime();
		expect(formatTime(at)).toBe("04:05:06");
		expect(formatTime(at, { withSeconds: false })).toBe("04:05");
	});
});

describe("a countdown", () => {
	test.each([
		[299_001, "5:00"],
		[60_000, "1:00"],
		[59_999, "1:00"],
		[1, "0:01"],
		[0, "0:00"],
		[-5, "0:00"],
		[3_909_000, "1:05:09"],
	])("of %i ms", (ms, words) => {
		expect(formatCountdown(ms)).toBe(words);
	});
});

describe("an offset", () => {
	test.each([
		[0, null],
		[499, null],
		[60_000, "1 min ahead"],
		[3_661_000, "1 h 1 min ahead"],
		[-2_000, "2 s behind"],
		[90_061_000, "1 d 1 h ahead"],
	])("of %i ms", (ms, words) => {
		expect(describeOffset(ms)).toBe(words);
	});
});
