import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hashConsole, PICTURED } from "../../scripts/screenshots/hash-console.ts";

test("the pictures are of today's console: `npm run screenshots` takes them again", () => {
	expect(JSON.parse(readFileSync(PICTURED, "utf8"))).toEqual({ console: hashConsole() });
});
