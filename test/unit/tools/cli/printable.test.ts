import { describe, expect, test } from "vitest";
import { indented, printable, printableLines } from "../../../../src/tools/cli/printable.ts";
import { testOutcomes } from "../../../support/outcomes.ts";

const ALL_CONTROLS = [
	...Array.from({ length: 0x20 }, (_, code) => code),
	...Array.from({ length: 0x21 }, (_, at) => 0x7f + at),
	...[0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
	...[0x2028, 0x2029],
].map((code) => String.fromCharCode(code));

describe("an untrusted string", () => {
	test("shows each control character as an escape, in one line", () => {
		for (const control of ALL_CONTROLS) {
			const shown = printable(`a${control}b`);
			expect(shown).toMatch(/^a\\u[0-9a-f]{4}b$/);
			expect(JSON.parse(`"${shown}"`)).toBe(`a${control}b`);
		}
	});

	testOutcomes(
		{
			"\\u001b[2J\\u001b]0;title\\u0007": {
				"what clears the screen and sets a title": "\u001b[2J\u001b]0;title\u0007",
			},
			"\\u009b31m": { "a colour in one character": "\u009b31m" },
			"a\\u000d\\u000ab": { "the end of a line": "a\r\nb" },
			"user\\u202egpj.exe": { "what turns the direction of a text": "user\u202egpj.exe" },
			unchanged: {
				"letters with accents": "Crème brûlée",
				"an emoji of several characters": "👩‍👩‍👧 ok",
				"letters of Hebrew": "שלום",
				"letters of Arabic": "مرحبا",
				"a no-break space": "a b\u00a0c",
				"an escape that is written out": "\\u001b",
				"the characters next to the controls": " ~\u00a0",
			},
		},
		(value: string) => (printable(value) === value ? "unchanged" : printable(value)),
	);

	test("keeps its lines if several are allowed", () => {
		expect(printableLines("a\n\tb\r\n")).toBe("a\n\tb\\u000d\n");
		expect(indented("a\nb")).toBe("  a\n  b");
	});

	test("keeps its value in JSON", () => {
		const value = { text: ALL_CONTROLS.join(""), lines: ["a\nb"] };
		const written = printableLines(JSON.stringify(value, null, 2));
		expect(written).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
		expect(JSON.parse(written)).toEqual(value);
	});
});
