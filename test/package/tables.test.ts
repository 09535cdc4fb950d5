import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PICTURES, TABLES } from "../../scripts/docs/tables.ts";
import { DOCUMENTS, withTables } from "../../scripts/write-tables.ts";

const read = (path: string): string => readFileSync(path, "utf8");

test.each(DOCUMENTS)("the tables of %s match the code: run `npm run docs`", (path) => {
	expect(read(path)).toBe(withTables(read(path)));
});

test("each table is in a document, between two marks", () => {
	const all = DOCUMENTS.map(read).join("\n");
	const names = Array.from(all.matchAll(/^<!-- ([\w-]+) -->$/gm), (match) => match[1]);
	const ends = Array.from(all.matchAll(/^<!-- \/([\w-]+) -->$/gm), (match) => match[1]);
	expect(names.sort()).toEqual(Object.keys(TABLES).sort());
	expect(ends.sort()).toEqual(names);
});

test.each([...PICTURES.values()])(
	"docs/$path is what the record draws: run `npm run docs`",
	({ path, svg }) => {
		expect(read(`docs/${path}`)).toBe(svg);
	},
);

test("no picture is drawn without a record", () => {
	const drawn = [...PICTURES.values()].map(({ path }) => `docs/${path}`);
	expect(globSync("docs/**/*.svg").sort()).toEqual(drawn.sort());
});
