import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readMembers } from "../../scripts/docs/members.ts";

const PUBLISHED = ["README.md", "SECURITY.md", "docs/*.md", "src/**/*.{ts,tsx}", "examples/**/*.{ts,md}"];

/** What the specification leaves open, as sentences that state it would say. */
const PROMISES: Readonly<Record<string, RegExp>> = {
	"that an event is delivered again (section 6.4: the retry policy is not shown)":
		/\b(?:come|comes) again\b|redelivers? (?:it|the event)\b/i,
	"that every delivery of an event has the same id (section 6.1)": /same over all deliveries/i,
	"that a duplicate proves an earlier send (section 2.4)":
		/if (?:the first|it) was accepted, the (?:answer|response)/i,
};

/** The published sentences that match, with their files. */
function findSentences(promise: RegExp): string[] {
	const paths = globSync(PUBLISHED, { exclude: ["**/node_modules/**", "docs/api-report.md"] });
	return paths.flatMap((path) => {
		const lines = readFileSync(path, "utf8").split("\n");
		return lines.filter((line) => promise.test(line)).map((line) => `${path}: ${line.trim()}`);
	});
}

describe("nothing that is published states", () => {
	test.each(Object.entries(PROMISES))("%s", (_what, promise) => {
		expect(findSentences(promise)).toEqual([]);
	});
});

describe("what the specification names without a meaning is told by its name", () => {
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
