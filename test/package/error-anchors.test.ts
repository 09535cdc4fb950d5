import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { GATEWAY_ERRORS } from "../../src/library/catalogue/gateway-errors.ts";

const PAGE = readFileSync("docs/errors.md", "utf8");

/** Where a link to the page may lead: its headings, and the anchors in its tables. */
const ANCHORS = [
	...Array.from(PAGE.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) => slugOf(heading)),
	...Array.from(PAGE.matchAll(/<a id="(.+?)"><\/a>/g), ([, id = ""]) => id),
];

/** As GitHub and the site make it. */
function slugOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\w\s-]/g, "")
		.replaceAll(" ", "-");
}

test("each anchor is there once", () => {
	expect(ANCHORS.filter((anchor, at) => ANCHORS.indexOf(anchor) !== at)).toEqual([]);
});

test("each code of an error of a call, and of the local gateway, has an anchor", () => {
	const source = readFileSync("src/library/errors.ts", "utf8");
	const codes = Array.from(source.matchAll(/readonly code = "(\w+)" as const/g), ([, code = ""]) => code);
	expect(codes.length).toBeGreaterThan(10);
	for (const code of [...codes, ...Object.keys(GATEWAY_ERRORS)]) expect(ANCHORS).toContain(code);
});

test("each outcome has an anchor", () => {
	for (const outcome of ["not_sent", "rejected", "unknown", "accepted"]) expect(ANCHORS).toContain(outcome);
});

test("each anchor that a message names exists", () => {
	const sources = globSync("src/**/*.ts").map((path) => readFileSync(path, "utf8"));
	const named = sources.flatMap((source) =>
		Array.from(source.matchAll(/\bpageOf\("([^"]+)"\)/g), ([, anchor = ""]) => anchor),
	);
	expect(named).toContain("unknown");
	for (const anchor of named) expect(ANCHORS).toContain(anchor);
});
