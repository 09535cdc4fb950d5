import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DOCUMENTS, withTables } from "../../scripts/write-tables.ts";

test.each(DOCUMENTS)("the tables of %s are those of the code: `npm run docs` writes them", (path) => {
	const markdown = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
	expect(markdown).toContain("<!-- ");
	expect(markdown).toBe(withTables(markdown));
});
