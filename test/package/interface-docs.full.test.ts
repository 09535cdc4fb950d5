import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { INTERFACE_DOCS_PATH, writeInterfaceDocs } from "../../scripts/write-interface-docs.ts";

test("the sentences of the OpenAPI document match those of the interfaces: run `npm run docs`", () => {
	expect(readFileSync(INTERFACE_DOCS_PATH, "utf8")).toBe(writeInterfaceDocs());
});
