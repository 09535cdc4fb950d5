import { expect, test } from "vitest";
import { fitExponent } from "../../../bench/growth/fit-exponent.ts";
import { judgeFlatness, TOLERANCE_BYTES } from "../../../bench/soak/flatness.ts";

const SIZES = [1e2, 1e3, 1e4, 1e5, 1e6];

test.each([
	["constant", () => 7, 0],
	["linear", (size: number) => 3 * size, 1],
	["square", (size: number) => size ** 2 / 5, 2],
])("a cost that is %s has the exponent of that", (_, costOf, exponent) => {
	const points = SIZES.map((size) => ({ size, cost: costOf(size) }));
	expect(fitExponent(points)).toBeCloseTo(exponent, 10);
});

test("a leak shows, and a warm-up does not", () => {
	const grown = Array.from({ length: 50 }, (_, at) => 1e7 + (at * TOLERANCE_BYTES) / 20);
	expect(judgeFlatness(grown).isFlat).toBe(false);
	const warmedUp = Array.from({ length: 50 }, (_, at) => (at < 5 ? 1e6 * at : 1e7 + at));
	expect(judgeFlatness(warmedUp)).toMatchObject({ isFlat: true, atEnd: 1e7 + 47 });
});

test("what is given back is no leak", () => {
	expect(judgeFlatness([1, 2e7, 2e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7]).isFlat).toBe(true);
});
