import type { BodyDifference } from "./body-form.ts";

/** Something that bodies have and that gateways write in several ways. */
export interface BodyFeature {
	/** What a body has, to continue "a body with …". */
	readonly title: string;
	/** A body that has it, and none of the features after it. */
	readonly body: Readonly<Record<string, unknown>>;
	/** How gateways write it otherwise than RFC 8785. */
	readonly others: readonly BodyDifference[];
}

/**
 * The features of the bodies of real calls, each in a body with keys that no gateway knows. The names of real fields are
 * ASCII and differ in more than their case, so all ways to sort them agree.
 */
export const BODY_FEATURES: readonly BodyFeature[] = [
	{
		title: "a single short field",
		body: { probeOfText: "a" },
		others: [
			{ whitespace: "after_separators", words: "a space after each comma and colon" },
			{ whitespace: "line_break_at_end", words: "a line break at the end" },
		],
	},
	{ title: "three fields", body: { probeB: "b", probeC: "c", probeA: "a" }, others: [] },
	{
		title: "nested fields",
		body: { probeOfNesting: { d: { f: "f", e: "e" }, c: [{ b: "b", a: "a" }] } },
		others: [],
	},
	{ title: "a number", body: { probeOfNumber: 1 }, others: [] },
	{
		title: "a null",
		body: { probeOfNull: null, probeOfText: "a" },
		others: [{ isWithoutNulls: true, words: "no nulls" }],
	},
	{
		title: "a letter such as é",
		body: { probeOfText: "Zoë é" },
		others: [
			{ lowerCase: "\\u0080-\\uffff", words: "é as \\u00e9" },
			{ upperCase: "\\u0080-\\uffff", words: "é as \\u00E9" },
		],
	},
	{
		title: "an emoji",
		body: { probeOfText: "👋" },
		others: [
			{ upperCase: "\\ud800-\\udfff", words: "👋 as \\uD83D\\uDC4B" },
			{ lowerCase: "\\ud800-\\udfff", words: "👋 as \\ud83d\\udc4b" },
		],
	},
	{
		title: "U+007F",
		body: { probeOfText: "a\u007fb" },
		others: [
			{ lowerCase: "\\u007f", words: "U+007F as \\u007f" },
			{ upperCase: "\\u007f", words: "U+007F as \\u007F" },
		],
	},
	{
		title: "<, > or &",
		body: { probeOfText: "1 < 2 & 3 > 2" },
		others: [
			{ lowerCase: "<>&", words: "<, > and & as \\u003c, \\u003e and \\u0026" },
			{ upperCase: "<>&", words: "<, > and & as \\u003C, \\u003E and \\u0026" },
		],
	},
	{
		title: "a slash",
		body: { probeOfText: "1/2" },
		others: [{ isSlashEscaped: true, words: "/ as \\/" }],
	},
	{
		title: "U+2028",
		body: { probeOfText: "a\u2028b" },
		others: [{ lowerCase: "\\u2028\\u2029", words: "U+2028 as \\u2028" }],
	},
	{
		title: "quotation marks, =, + or `",
		body: { probeOfText: `Ana's "a" = 'b' + \`c\`` },
		others: [
			{
				upperCase: "'+`",
				isQuoteEscaped: true,
				words: "quotation marks, + and ` as \\u0022, \\u0027, \\u002B and \\u0060",
			},
			{ upperCase: "'", isQuoteEscaped: true, words: "quotation marks as \\u0022 and \\u0027" },
			{ lowerCase: "'=", words: "' and = as \\u0027 and \\u003d" },
		],
	},
];

/** A body with every feature at once, whose fields are neither in rising nor in falling order. */
export const REVEALING_BODY = {
	probeOfText: 'Zoë\'s "é" = 1 < 2 & 3 > 2 + 1/2 `👋`\u2028\u007f',
	probeOfNumber: 1,
	probeOfNesting: { d: { f: "f", e: "e" }, c: [{ b: "b", a: null }] },
	probeOfOrder: "",
} as const;
