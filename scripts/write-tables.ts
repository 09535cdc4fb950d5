/** Writes the tables of README and docs from the code, and their pictures from the records. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { writePictures } from "./docs/pictures.ts";
import { PICTURES, TABLES } from "./docs/tables.ts";

/** Every document that may have tables. */
export const DOCUMENTS = [
	"README.md",
	...globSync(["docs/*.md", "docs/frameworks/*.md", "examples/*.md"]).sort(),
];

/** A document with its tables as the code has them now. */
export function withTables(markdown: string): string {
	return markdown.replace(
		/(<!-- ([\w-]+) -->\n)[\s\S]*?(<!-- \/\2 -->)/g,
		(_, start: string, name: string, end: string) => {
			const rows = TABLES[name];
			if (rows === undefined) throw new Error(`there is no table named ${name}`);
			return `${start}${rows}${end}`;
		},
	);
}

if (import.meta.main) {
	for (const path of DOCUMENTS) {
		const before = readFileSync(path, "utf8");
		const after = withTables(before);
		if (after !== before) writeFileSync(path, after);
	}
	writePictures(PICTURES);
}
