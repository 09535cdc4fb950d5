/** Prints what the recommended rules of Redocly and Spectral find in the document on standard input, as JSON. */
import { text } from "node:stream/consumers";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import parsers from "@stoplight/spectral-parsers";
import rulesets from "@stoplight/spectral-rulesets";

const source = await text(process.stdin);
const [redocly, spectralFindings] = await Promise.all([lintWithRedocly(), lintWithSpectral()]);
console.log(JSON.stringify({ redocly, spectral: spectralFindings }));

async function lintWithRedocly() {
	const config = await createConfig({ extends: ["recommended"] });
	const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
	return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

async function lintWithSpectral() {
	const linter = new spectral.Spectral();
	linter.setRuleset({ extends: [[rulesets.oas, "recommended"]] });
	// Spectral's command reads JSON as YAML, too, which is how it finds tabs.
	const problems = await linter.run(new spectral.Document(source, parsers.Yaml, "openapi.json"));
	return problems.map(({ code, message }) => `${code}: ${message}`);
}
