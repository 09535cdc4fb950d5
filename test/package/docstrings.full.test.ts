import { describe, expect, test } from "vitest";
import { type PublicDoc, readPublicDocs } from "./support/public-docs.ts";

/** The longest first sentence, in words: a hover shows it beside the types. */
const MAX_WORDS = 22;

/** The tags that say where something comes from, in this order after all others. */
const LAST = ["@see", "@experimental", "@module"];

const DOCS = readPublicDocs();

test("the comments of what users import are found", () => {
	expect(DOCS.length).toBeGreaterThan(1_300);
	const places = DOCS.map(({ place }) => place);
	expect(places).toContain("src/library/client/resources/messages.ts: Messages.sendText");
	expect(places).toContain("src/library/catalogue/sends.ts: SendOptions.from");
	expect(places).toContain("src/library/entries/index.ts");
});

describe("each first sentence", () => {
	test("ends with a full stop, or introduces a list", () => {
		expect(placesOf((doc) => !/\.$|:$/.test(firstSentence(doc)))).toEqual([]);
		expect(placesOf((doc) => firstSentence(doc).endsWith(":") && !/:\n\n- /.test(doc.text))).toEqual([]);
	});

	test(`has ${MAX_WORDS} words at most`, () => {
		const long = DOCS.filter((doc) => firstSentence(doc).split(/\s+/).length > MAX_WORDS);
		expect(long.map((doc) => `${doc.place}: ${firstSentence(doc)}`)).toEqual([]);
	});

	test("names no section, and no status of an assumed method", () => {
		expect(placesOf((doc) => /\bsections?\b|\bassumed method\b/i.test(firstSentence(doc)))).toEqual([]);
	});
});

test("a section of the specification stands in the tag @see", () => {
	expect(placesOf(({ text }) => /specification, section|(?<!RFC \d+, )\bsections? \d/i.test(text))).toEqual(
		[],
	);
	const sources = DOCS.flatMap(({ tags }) => tags.filter((tag) => /^@see\b.*section/is.test(tag)));
	for (const source of sources) expect(source).toMatch(/^@see Specification, sections? [\d.]+/);
	expect(sources.length).toBeGreaterThan(30);
});

test("the tags for the section and for an assumed method stand last", () => {
	const rank = (tag: string): number => LAST.indexOf(tag.split(/\s/)[0] ?? "");
	expect(placesOf(({ tags }) => tags.some((tag, at) => rank(tag) < rank(tags[at - 1] ?? "")))).toEqual([]);
});

/** The first sentence: a full stop inside code or of an abbreviation does not end it. */
function firstSentence({ text }: PublicDoc): string {
	const [paragraph = ""] = text.split("\n\n");
	const line = paragraph.replaceAll(/\s+/g, " ");
	const masked = line.replaceAll(/`[^`]*`|\be\.g\./g, (all) => "x".repeat(all.length));
	const end = /[.?!](?=\s|$)/.exec(masked)?.index;
	return end === undefined ? line : line.slice(0, end + 1);
}

function placesOf(isWrong: (doc: PublicDoc) => boolean): string[] {
	return DOCS.filter(isWrong).map(({ place }) => place);
}
