import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VECTORS_PATH, writeVectors } from "../../scripts/write-vectors.ts";

test("the vectors match the code: run `npm run docs`", () => {
	expect(readFileSync(VECTORS_PATH, "utf8")).toBe(writeVectors());
});
