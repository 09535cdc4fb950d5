import { expect, test } from "vitest";
import { CODED_PROFILE, documentOf, PROFILE_OF_MAPS, SIGNING_PROFILES } from "./support/openapi-documents.ts";
import { runOpenApiScript } from "./support/openapi-tools.ts";

/** What the recommended rules of each linter find. */
interface Findings {
	redocly: string[];
	spectral: string[];
}

test.each([
	["the catalogue", [undefined]],
	["a profile", [CODED_PROFILE]],
	["a profile of maps", [PROFILE_OF_MAPS]],
	["each choice of signing", SIGNING_PROFILES],
])("the document of %s is clean", async (_title, profiles) => {
	const clean = { redocly: [], spectral: [] };
	expect(await lint(profiles.map((profile) => documentOf(profile)))).toEqual(profiles.map(() => clean));
});

test("of a document on localhost Redocly finds that, and nothing else", async () => {
	const [found] = await lint([documentOf(undefined, "http://localhost:8080")]);
	expect([rulesOf(found?.redocly), found?.spectral]).toEqual([["no-server-example.com"], []]);
});

async function lint(documents: readonly string[]): Promise<Findings[]> {
	return JSON.parse(await runOpenApiScript("lint.mjs", JSON.stringify(documents)));
}

function rulesOf(findings: readonly string[] = []): string[] {
	return [...new Set(findings.map((finding) => finding.split(":")[0] ?? ""))];
}
