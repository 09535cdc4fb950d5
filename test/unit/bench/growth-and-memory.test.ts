import { describe, expect, test } from "vitest";
import { fitExponent } from "../../../bench/growth/fit-exponent.ts";
import { compareSamples } from "../../../bench/memory/compare-samples.ts";
import { checkTargets } from "../../../bench/speed/check-targets.ts";
import type { SpeedRecord } from "../../../bench/speed/record.ts";
import type { Target } from "../../../bench/targets.ts";

const SIZES = [1e2, 1e3, 1e4, 1e5, 1e6];

test.each([
	["constant", () => 7, 0],
	["linear", (size: number) => 3 * size, 1],
	["square", (size: number) => size ** 2 / 5, 2],
])("a cost that is %s has the exponent of that", (_, costOf, exponent) => {
	const points = SIZES.map((size) => ({ size, cost: costOf(size) }));
	expect(fitExponent(points)).toBeCloseTo(exponent, 10);
});

describe("held memory", () => {
	const TOLERANCE_BYTES = 1_000;
	const target: Target = {
		what: "memory",
		table: "memory",
		ours: "at the end",
		against: ["after warm-up"],
		limit: { excessAtMost: TOLERANCE_BYTES },
	};

	/** Whether samples meet the target. */
	function areFlat(samples: readonly number[]): boolean | undefined {
		const record: SpeedRecord = {
			recordedAt: "2026-01-01T00:00:00.000Z",
			machine: { node: "v24.0.0", platform: "p", cpu: "c", cores: 1, loadBefore: 0, loadAfter: 0 },
			settings: { rounds: 1, sliceMs: 1 },
			tables: [
				{
					name: "memory",
					title: "Memory",
					unit: "bytes",
					shows: "cost",
					cases: [compareSamples("work", samples)],
				},
			],
		};
		return checkTargets(record, [target])[0]?.isMet;
	}

	test("that grows misses its target, and warm-up does not count", () => {
		const grown = Array.from({ length: 50 }, (_, at) => 1e7 + (at * TOLERANCE_BYTES) / 20);
		expect(areFlat(grown)).toBe(false);
		const warmedUp = Array.from({ length: 50 }, (_, at) => (at < 5 ? 1e6 * at : 1e7 + at));
		expect(areFlat(warmedUp)).toBe(true);
	});

	test("that is given back is no growth", () => {
		expect(areFlat([1, 2e7, 2e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7])).toBe(true);
	});
});
