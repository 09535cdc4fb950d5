/** Prints what the recommended rules of Redocly and Spectral find in each document of the list on standard input, as JSON. */
import { text } from "node:stream/consumers";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import parsers from "@stoplight/spectral-parsers";
import rulesets from "@stoplight/spectral-rulesets";

const findings = [];
for (const source of JSON.parse(await text(process.stdin))) {
	findings.push({ redocly: await lintWithRedocly(source), spectral: await lintWithSpectral(source) });
}
console.log(JSON.stringify(findings));

async function lintWithRedocly(source) {
	const config = await createConfig({ extends: ["recommended"] });
	const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
	return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

async function lintWithSpectral(source) {
	const linter = new spectral.Spectral();
	linter.setRuleset({ extends: [[rulesets.oas, "recommended"]] });
	// Spectral's command reads JSON as YAML, too, which is how it finds tabs.
	const problems = await linter.run(new spectral.Document(source, parsers.Yaml, "openapi.json"));
	return problems.map(({ code, message }) => `${code}: ${message}`);
}
