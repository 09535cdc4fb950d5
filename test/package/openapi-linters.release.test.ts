import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defineProfile } from "../../src/library/catalogue/profile.ts";
import { profileFromJson } from "../../src/library/maps/profile-from-json.ts";
import {
	createOpenApiDocument,
	writeOpenApiDocument,
} from "../../src/tools/openapi/create-openapi-document.ts";
import { MAPPED_PROFILE } from "../support/mapped-profile.ts";
import { OPENAPI_TOOLS, requireOpenApiTool } from "../support/openapi-tools.ts";

/** What the recommended rules of each linter find. */
interface Findings {
	redocly: string[];
	spectral: string[];
}

const profile = defineProfile({
	vendor: { headerPrefix: "Acme", messageNumberField: "acmeNumber" },
	signing: { query: "included" },
	operations: {
		"agents.assign": { method: "PUT", path: "/agent/{agentNumber}/user/{userNumber}" },
		"messages.sendText": { request: { encode: (fields) => fields }, response: { decode: (data) => data } },
	},
});

test.each([
	["the catalogue", {}],
	["a profile", { profile, baseUrl: "https://gateway.example" }],
	["a profile of maps", { profile: profileFromJson(MAPPED_PROFILE), baseUrl: "https://gateway.example" }],
])("the document of %s is clean", (_title, options) => {
	expect(lint(writeOpenApiDocument(createOpenApiDocument(options)))).toEqual({ redocly: [], spectral: [] });
});

test("of a document on localhost Redocly finds that, and nothing else", () => {
	const { redocly, spectral } = lint(
		writeOpenApiDocument(createOpenApiDocument({ baseUrl: "http://localhost:8080" })),
	);
	expect([rulesOf(redocly), spectral]).toEqual([["no-server-example.com"], []]);
});

function lint(text: string): Findings {
	requireOpenApiTool("@redocly/openapi-core");
	const findings = execFileSync(process.execPath, [join(OPENAPI_TOOLS, "lint.mjs")], {
		input: text,
		encoding: "utf8",
		maxBuffer: 64 * 1024 * 1024,
	});
	return JSON.parse(findings);
}

function rulesOf(findings: readonly string[]): string[] {
	return [...new Set(findings.map((finding) => finding.split(":")[0] ?? ""))];
}
