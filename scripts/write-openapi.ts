/** Writes dist/openapi.json, which the package exports: for programs, on one line. */
import { readFileSync, writeFileSync } from "node:fs";
import { createOpenApiDocument, type PackageManifest } from "../src/tools/openapi/create-openapi-document.ts";

const manifest: PackageManifest = JSON.parse(readFileSync("package.json", "utf8"));
writeFileSync("dist/openapi.json", JSON.stringify(createOpenApiDocument({ manifest })));
