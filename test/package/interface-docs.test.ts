import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { INTERFACE_DOCS_PATH, writeInterfaceDocs } from "../../scripts/write-interface-docs.ts";

test("the sentences in the OpenAPI document are those of the interfaces: `npm run docs` writes them", () => {
	expect(readFileSync(INTERFACE_DOCS_PATH, "utf8")).toBe(writeInterfaceDocs());
});
