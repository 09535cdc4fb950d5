import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findUnknownHandlers } from "./support/unknown-handlers.ts";

/** Test runners: in a test an event that is not as documented may fail the test, or be nothing to it. */
const IN_TESTS = /from "(vitest|@jest\/globals|node:test|bun:test|@playwright\/test)"/;

/** The programs that users copy, by where they are. */
const PROGRAMS: readonly (readonly [place: string, code: string])[] = [
	...["README.md", ...globSync("docs/**/*.md")].flatMap((path) =>
		readBlocks(path, /^```(?:ts|tsx|js|mjs)\n([\s\S]*?)^```$/gm),
	),
	...globSync("examples/**/*.{ts,tsx,js,mjs}", { exclude: ["**/node_modules/**", "**/.next/**"] }).map(
		(path) => [path, readFileSync(path, "utf8")] as const,
	),
	...globSync("src/**/*.ts").flatMap((path) =>
		readBlocks(path, /^\s*\* ```ts\n([\s\S]*?)^\s*\* ```$/gm).map(
			([place, code]) => [place, code.replaceAll(/^\s*\* ?/gm, "")] as const,
		),
	),
];

test("every program for users keeps an event that is not as documented, passes it on or throws", () => {
	const handlers = PROGRAMS.filter(([, code]) => !IN_TESTS.test(code) && /unknown\b/i.test(code)).flatMap(
		([place, code]) => findUnknownHandlers(code).map((handler) => ({ place, ...handler })),
	);
	expect(handlers.length).toBeGreaterThan(25);
	const losing = handlers.filter(({ keeps }) => !keeps).map(({ place, code }) => `${place}: ${code}`);
	expect(losing).toEqual([]);
});

const KEEP = 'appendFile("unknown-events.jsonl", JSON.stringify({ eventId, rawBody: readBody() }))';

test.each([
	["nothing", "unknown: () => undefined"],
	["nothing, in a method", "unknown() {}"],
	["a line", "unknown: ({ eventId, issues }) => console.warn(eventId, issues)"],
	["a line with the contents", "unknown: ({ data }) => console.warn(JSON.stringify(data))"],
	["its type", "unknown: ({ type }) => count(type)"],
	["what is as documented", "unknown: ({ narrowed }) => read(narrowed)"],
	["its id", "unknown: (event) => count(event.eventId)"],
	["what a sender knows of it", "unknown: (event) => observeSend(store, event)"],
	["a branch", "unknown: ({ data }) => { if (isDue) read(data); else console.warn('?'); }"],
	["a condition", "onUnknown: (event) => isDue && keep(event)"],
	[
		"a function of this module",
		"unknown: note }; function note({ type }) { console.log(type); } const more = {",
	],
])("a handler that has only %s loses the event", (_title, code) => {
	expect(findUnknownHandlers(`const on = { ${code} };`)).toMatchObject([{ keeps: false }]);
});

test.each([
	["keeps it", `unknown: ({ eventId }, { readBody }) => ${KEEP}`],
	[
		"keeps it in a block",
		`unknown: async ({ eventId }, { readBody }) => { console.warn(eventId); await ${KEEP}; }`,
	],
	["keeps a variable", "onUnknown: (event) => { const text = JSON.stringify(event); return insert(text); }"],
	["throws", "unknown: ({ type }) => { throw new Error(type); }"],
	["has a function of another module", "unknown: keepUnknown"],
	[
		"asks a sender first",
		"unknown: async (event, context) => (await observeSend(store, event)) ?? keep(event, context)",
	],
	[
		"has a function of this module",
		"unknown: note }; function note({ data }) { rows.push(data); } const more = {",
	],
])("a handler that %s loses nothing", (_title, code) => {
	expect(findUnknownHandlers(`const on = { ${code} };`)).toMatchObject([{ keeps: true }]);
});

function readBlocks(path: string, pattern: RegExp): (readonly [place: string, code: string])[] {
	const text = readFileSync(path, "utf8");
	return Array.from(text.matchAll(pattern), ({ index, 1: code = "" }) => [
		`${path}:${text.slice(0, index).split("\n").length}`,
		code,
	]);
}
