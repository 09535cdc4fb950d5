import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { scanJson } from "../../../../src/library/signing/json-tokens.ts";
import { sortKeys } from "../../../../src/library/signing/sort-keys.ts";

let comparisons = 0;

beforeEach(() => {
	comparisons = 0;
	const { sort } = Array.prototype;
	vi.spyOn(Array.prototype, "sort").mockImplementation(function (this: unknown[], compare) {
		return sort.call(this, (left, right) => {
			comparisons++;
			return compare?.(left, right) ?? 0;
		});
	});
});

afterEach(() => {
	vi.restoreAllMocks();
});

/** The values of the members in order of their keys; each is the place of its key. */
function sortedPlaces(keys: readonly string[]): number[] {
	const tokens = scanJson(Buffer.from(`{${keys.map((key) => `"${key}":0`).join(",")}}`), 1);
	const tokensOfKeys = keys.map((_, at) => 1 + 2 * at);
	return sortKeys(tokensOfKeys, tokens).map((token) => (token - 1) / 2);
}

/** The numbers below `length`, in no order. 7,919 is a prime. */
function scatter(length: number): number[] {
	return Array.from({ length }, (_, at) => (at * 7_919) % length);
}

test("keys in order are not sorted again", () => {
	expect(sortedPlaces(["a", "aa", "b"])).toEqual([0, 1, 2]);
	expect(Array.prototype.sort).not.toHaveBeenCalled();
});

describe("many keys in no order are compared twice each at most", () => {
	test.each([
		["that differ in their first four bytes", ""],
		["that all begin with the same 100", "é".repeat(50)],
	])("%s", (_title, prefix) => {
		const numbers = scatter(5_000);
		const sorted = sortedPlaces(numbers.map((number) => `${prefix}${number + 1_000}`));
		expect(sorted.map((at) => numbers[at])).toEqual(numbers.map((_, at) => at));
		expect(comparisons).toBeLessThan(2 * numbers.length);
	});

	test("if most are equal", () => {
		const keys = scatter(5_000).map((number) => String(number % 10));
		expect(sortedPlaces(keys).map((at) => keys[at])).toEqual([..."0123456789"]);
		expect(comparisons).toBeLessThan(2 * keys.length);
	});
});
