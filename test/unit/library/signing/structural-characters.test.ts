import fc from "fast-check";
import { expect, test } from "vitest";
import {
	isOverStructured,
	MAX_STRUCTURAL_CHARACTERS,
} from "../../../../src/library/signing/structural-characters.ts";
import { cases } from "../../../support/cases.ts";

/** Whether JSON is refused with so many structural characters beside its own. */
function isOverWith(json: string, others: number): boolean {
	return isOverStructured(Buffer.from(`${"[".repeat(others)}${json}`));
}

/** How many structural characters it is found to have. */
function expectCount(json: string, count: number): void {
	expect(isOverWith(json, MAX_STRUCTURAL_CHARACTERS - count)).toBe(false);
	expect(isOverWith(json, MAX_STRUCTURAL_CHARACTERS - count + 1)).toBe(true);
}

test.each<[json: string, count: number]>([
	["0", 0],
	[" \t\r\n0", 0],
	['{"a":[1,true,{}],"b":null}', 11],
	["[]{}:,", 6],
	['"[]{}:,"', 0],
	['{"[]{}:,":"[]{}:,"}', 3],
	['["\\"[",0]', 3],
	['["\\\\",0]', 3],
	['["\\\\\\",0",0]', 3],
	['["\\u0022,",0]', 3],
	['["é\\u005b😂,",[]]', 5],
	// The second bytes of these characters are 0x7b, 0x5b and 0x2c in Latin-1 and UTF-16 only.
	['"ﻻŻĬ"', 0],
])("%s has %i", (json, count) => {
	expectCount(json, count);
});

test("any value has two for each container and one between every two of its parts", () => {
	const count = (value: unknown): number => {
		if (typeof value !== "object" || value === null) return 0;
		const members: unknown[] = Object.values(value);
		const colons = Array.isArray(value) ? 0 : members.length;
		const inside = members.reduce((sum: number, member) => sum + count(member), 0);
		return 2 + colons + Math.max(0, members.length - 1) + inside;
	};
	const strings = fc.string({ unit: fc.constantFrom(...'[]{}:,"\\ né😂') });
	const value = fc.letrec((tie) => ({
		value: fc.oneof(strings, fc.double(), fc.array(tie("value")), fc.dictionary(strings, tie("value"))),
	})).value;
	fc.assert(
		fc.property(value, fc.constantFrom(0, "\t"), (value, indent) => {
			expectCount(JSON.stringify(value, null, indent), count(value));
		}),
		{ numRuns: cases(200) },
	);
});
