import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	keepSame,
	layOut,
	rowsBetween,
	shiftBetween,
	topOf,
} from "../../../../../src/tools/console/parts/virtual/row-layout.ts";
import { cases } from "../../../../support/cases.ts";

const keys = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 30 });
const height = fc.integer({ min: 1, max: 200 });
const heights = (of: readonly string[]) =>
	fc
		.array(height, { minLength: of.length, maxLength: of.length })
		.map((values) => new Map(of.map((key, at) => [key, values[at] ?? 1])));

test("exactly the rows that a part shows are found", () => {
	const laidOut = keys.chain((of) => fc.tuple(fc.constant(of), heights(of)));
	fc.assert(
		fc.property(laidOut, fc.integer({ min: -100, max: 3_000 }), fc.nat(500), ([of, known], from, size) => {
			const layout = layOut(of, known, 50);
			const { first, end } = rowsBetween(layout, from, from + size);
			const shown = of.map(
				(_, at) => topOf(layout.tops, at + 1) > from && topOf(layout.tops, at) < from + size,
			);
			expect(of.map((_, at) => at >= first && at < end)).toEqual(shown);
		}),
		{ numRuns: cases(300) },
	);
});

test("a row in view stays in its place when rows above it come, go and grow", () => {
	const change = keys.chain((of) =>
		fc.record({
			before: fc.constant(of),
			known: heights(of),
			// Rows of the beginning are replaced, so that those from `from` on stay together.
			from: fc.nat(of.length - 1),
			added: fc.nat(20),
			grown: heights(of),
		}),
	);
	fc.assert(
		fc.property(
			change,
			fc.double({ min: 0, max: 0.99, noNaN: true }),
			({ before, known, from, added, grown }, part) => {
				const earlier = layOut(before, known, 50);
				const place = topOf(earlier.tops, from) + part * (known.get(before[from] ?? "") ?? 0);
				const stay = before.slice(from);
				const all = [...Array.from({ length: added }, (_, at) => `added ${at}`), ...stay];
				const later = layOut(all, new Map([...grown, ...known]), 50);
				const shift = shiftBetween(earlier, later, place);
				expect(topOf(later.tops, added) - topOf(earlier.tops, from)).toBe(shift);
			},
		),
		{ numRuns: cases(300) },
	);
});

describe("a row that goes elsewhere", () => {
	const before = layOut(["a", "b", "c", "d"], new Map(), 50);

	test("does not take the view with it", () => {
		expect(shiftBetween(before, layOut(["c", "a", "b", "d"], new Map(), 50), 110)).toBe(0);
	});

	test("is replaced by the next one", () => {
		expect(shiftBetween(before, layOut(["a", "x", "y", "c", "d"], new Map(), 50), 60)).toBe(50);
	});
});

test("an item whose fields are the same stays the same object", () => {
	const before = [
		{ key: "a", value: 1 },
		{ key: "b", value: 1 },
	];
	const after = keepSame(
		before,
		[
			{ key: "b", value: 2 },
			{ key: "a", value: 1 },
		],
		({ key }) => key,
	);
	expect(after).toEqual([
		{ key: "b", value: 2 },
		{ key: "a", value: 1 },
	]);
	expect(after[1]).toBe(before[0]);
});
