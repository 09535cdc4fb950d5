/** Writes dist/openapi.json, which the package exports. */
import { readFileSync, writeFileSync } from "node:fs";
import {
	createOpenApiDocument,
	type PackageManifest,
	writeOpenApiDocument,
} from "../src/openapi/create-openapi-document.ts";

const manifest: PackageManifest = JSON.parse(readFileSync("package.json", "utf8"));
writeFileSync("dist/openapi.json", writeOpenApiDocument(createOpenApiDocument({ manifest })));
