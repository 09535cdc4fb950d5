import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const SECURITY = new URL("../../SECURITY.md", import.meta.url);
/** Not packed, as its links lead to tests. */
const THREATS = new URL("../threats.md", import.meta.url);

const model = readParts(SECURITY);
const tests = readParts(THREATS);

test("every part lists its threats, and what isn't protected", () => {
	expect(model.map(({ title }) => title)).toEqual([
		"Signing requests",
		"Receiving webhooks",
		"The local gateway",
	]);
	for (const { text } of model) expect(text).toContain("What isn't protected:\n\n- **");
});

test("every threat has its row of tests, in the same order", () => {
	const namesOf = (parts: readonly Part[]): string[] =>
		parts.flatMap(({ title, rows }) => rows.map(([threat]) => `${title}: ${threat}`));
	expect(namesOf(tests)).toEqual(namesOf(model));
});

test.each(tests.flatMap(({ rows }) => rows))("a test holds: %s", (_, held) => {
	expect(held).toMatch(/\]\([\w./-]+\.test\.ts\)/);
});

describe("the linked files exist", () => {
	const links = [SECURITY, THREATS].flatMap((document) =>
		Array.from(readFileSync(document, "utf8").matchAll(/\]\(([^)#]+)\)/g), ([, path = ""]) =>
			fileOf(document, path),
		),
	);

	test.each([...new Set(links)])("%s", (path) => {
		expect(existsSync(new URL(path))).toBe(true);
	});
});

/** A section with a table of threats. */
interface Part {
	readonly title: string;
	readonly text: string;
	/** The rows of its table, each a threat and what holds. */
	readonly rows: readonly (readonly [string, string])[];
}

function readParts(document: URL): Part[] {
	return readFileSync(document, "utf8")
		.split(/^## /m)
		.filter((text) => text.includes("| threat |"))
		.map((text) => ({
			title: text.slice(0, text.indexOf("\n")),
			text,
			rows: Array.from(
				text.matchAll(/^\| (?!threat \|)(.+) \| (.+) \|$/gm),
				([, threat = "", holds = ""]) => [threat, holds],
			),
		}));
}

function fileOf(document: URL, path: string): string {
	return new URL(path, document).href;
}
