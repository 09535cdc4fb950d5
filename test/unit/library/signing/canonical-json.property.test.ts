import fc from "fast-check";
import { CanonicalJsonError, canonicalize } from "messaging-gateway/signing";
import { expect, test } from "vitest";
import { cases } from "../../../support/cases.ts";
import { catchError } from "../../../support/catch-error.ts";
import { hasEscapedKey } from "./escaped-keys.ts";

/** Keys among which the orders by UTF-16 code unit, by code point and by locale differ. */
const keys = fc.uniqueArray(
	fc.oneof(
		fc.string({ unit: "binary", maxLength: 4 }),
		fc.string({
			unit: fc.constantFrom("a", "B", "é", "1", "10", "\uffff", "\ufb33", "😂", "\u{10ffff}"),
			maxLength: 3,
		}),
		fc.constantFrom("__proto__", "constructor", "toString", "", "0", "-1"),
	),
	{ maxLength: 12 },
);

/** Any sequence of UTF-16 code units: half of them surrogates, so that lone ones are common. */
const anyCodeUnits = fc
	.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })), {
		maxLength: 8,
	})
	.map((units) => String.fromCharCode(...units));

/** UTF-16 big-endian bytes: comparing them is comparing code units, with none of our code. */
function utf16Bytes(text: string): Buffer {
	return Buffer.from(text, "utf16le").swap16();
}

test("keys are written in the order of their UTF-16 code units", () => {
	fc.assert(
		fc.property(keys, (names) => {
			const object = Object.fromEntries(names.map((name, at) => [name, at]));
			const sorted = [...names].sort((left, right) => Buffer.compare(utf16Bytes(left), utf16Bytes(right)));
			const members = sorted.map((name) => `${JSON.stringify(name)}:${names.indexOf(name)}`);
			expect(canonicalize(object)).toBe(`{${members.join(",")}}`);
		}),
	);
});

/** Written member by member, from what JSON makes of a value: with none of our code. */
function writeSorted(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(writeSorted).join(",")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
	return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeSorted(member)}`).join(",")}}`;
}

test("any value is written as JSON.stringify writes it, or rejected", () => {
	// None that is written with an escape, see above.
	const key = fc.string().map((text) => text.replaceAll(/["\\]/g, "_"));
	const anything = fc.anything({
		key: fc.oneof(key, fc.constantFrom("7", "10", "__proto__", "toJSON", "b", "a")),
		withBoxedValues: true,
		withDate: true,
		withMap: true,
		withNullPrototype: true,
		withObjectString: true,
		withSparseArray: true,
		withTypedArray: true,
	});
	fc.assert(
		fc.property(fc.oneof(anything, fc.array(anything), fc.dictionary(key, anything)), (value) => {
			let text: string;
			try {
				text = canonicalize(value);
			} catch (error) {
				expect(error).toBeInstanceOf(CanonicalJsonError);
				return;
			}
			expect(text).toBe(writeSorted(JSON.parse(JSON.stringify(value))));
		}),
		{ numRuns: cases(1_000) },
	);
});

test("no lone surrogate ever passes, in a value or in a key, and every other string survives UTF-8", () => {
	fc.assert(
		fc.property(anyCodeUnits, fc.boolean(), (text, isKey) => {
			const value = isKey ? { [text]: 1 } : [text];
			// In a pattern with the u flag, a surrogate that is part of a pair is not matched.
			if (/\p{Surrogate}/u.test(text)) {
				const error = catchError(() => canonicalize(value));
				expect(error).toBeInstanceOf(CanonicalJsonError);
				expect((error as CanonicalJsonError).code).toBe("lone_surrogate");
			} else {
				const written = canonicalize(value);
				fc.pre(!hasEscapedKey(written));
				expect(JSON.parse(new TextDecoder().decode(new TextEncoder().encode(written)))).toEqual(value);
			}
		}),
		{ numRuns: cases(500) },
	);
});
