import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readMembers } from "../../scripts/docs/members.ts";

const PUBLISHED = ["README.md", "SECURITY.md", "docs/*.md", "src/**/*.{ts,tsx}", "examples/**/*.{ts,md}"];

/** What the specification leaves open, and what a sentence that states it looks like. */
const PROMISES: Readonly<Record<string, RegExp>> = {
	"that an event is delivered again (section 6.4: the retry policy is not shown)":
		/\b(?:come|comes) again\b|redelivers? (?:it|the event)\b|(?<!whether )\bthe (?:gateway|sender) (?:retries|will retry|delivers? (?:it |the event )?again)\b/i,
	"that every delivery of an event has the same id (section 6.1)": /same over all deliveries/i,
	"that a duplicate proves an earlier send (section 2.4)":
		/\b(?:if|where|when|since) (?:the first|the earlier one|it) (?:was|had been) accepted, (?:the|its|an) (?:answer|response)|DuplicateMessageError`? (?:proves|shows|means) (?:that )?(?:the first|the earlier|it\b)/i,
};

/** The published sentences that match, with their files. */
function findSentences(promise: RegExp): string[] {
	const paths = globSync(PUBLISHED, { exclude: ["**/node_modules/**", "docs/api-report.md"] });
	return paths.flatMap((path) => {
		const sentences = splitSentences(readFileSync(path, "utf8"));
		return sentences.filter((sentence) => promise.test(sentence)).map((sentence) => `${path}: ${sentence}`);
	});
}

/** A sentence may continue in the next line, in comments too. */
function splitSentences(text: string): string[] {
	const lines = text.split("\n").map((line) => line.replace(/^\s*(?:\/?\*+\/?|\/\/)?\s*/, "").trimEnd());
	return lines.join(" ").split(/(?<=[.!?]) /);
}

describe("no published sentence states", () => {
	test.each(Object.entries(PROMISES))("%s", (_what, promise) => {
		expect(findSentences(promise)).toEqual([]);
	});
});

test.each([
	"and then it comes again.",
	"the gateway retries",
	" * After that the gateway\n * delivers it again, until",
	"\t// if the first was accepted, the\n\t// answer is a `DuplicateMessageError`",
	"A `DuplicateMessageError` proves that the first was sent.",
])("a sentence is also found if it is broken into lines: %j", (text) => {
	const found = splitSentences(text).some((sentence) =>
		Object.values(PROMISES).some((promise) => promise.test(sentence)),
	);
	expect(found).toBe(true);
});

describe("a field that the specification only names is described by its name", () => {
	const mapping = readMembers("src/catalogue/mappings.ts", "Mapping").filter(({ name }) =>
		name.endsWith("At"),
	);
	const duplicate = readMembers("src/errors.ts", "DuplicateInfo").filter(({ name }) =>
		/^is|Signature$/.test(name),
	);

	test.each([...mapping, ...duplicate])("$name", ({ text }) => {
		expect(text).toMatch(/^By its name, /);
	});

	test("these are the six timestamps of section 2.3 and three fields of section 2.4", () => {
		expect([mapping.length, duplicate.length]).toEqual([6, 3]);
	});
});
