/** Writes dist/openapi.json, which the package exports. */
import { readFileSync, writeFileSync } from "node:fs";
import { createOpenApiDocument, writeOpenApiDocument } from "../src/openapi/create-openapi-document.ts";

const { version }: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));
writeFileSync("dist/openapi.json", writeOpenApiDocument(createOpenApiDocument({ version })));
