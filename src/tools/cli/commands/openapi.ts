import { writeFile } from "node:fs/promises";
import { usageError } from "../failure.ts";
import { PROFILE_FLAG, readProfile } from "../gateway-options.ts";
import { declareVerb } from "../verb.ts";
import { MANIFEST } from "../version.ts";

const FLAGS = {
	"--out <file>": "the file to write (default: standard output)",
	"--base-url <url>": "the URL of the API",
	...PROFILE_FLAG,
} as const;

/** Writes the OpenAPI document. */
export const addOpenApiVerb = declareVerb({
	usage: "openapi",
	summary: "Write the OpenAPI 3.1 document of every operation and webhook.",
	flags: FLAGS,
	examples: ["npx messaging-gateway openapi --out openapi.json"],
	async run(terminal, { out, baseUrl, profile }) {
		const { createOpenApiDocument, writeOpenApiDocument } = await import("#openapi");
		const options = { baseUrl, profile: await readProfile(profile), manifest: MANIFEST };
		const document = writeOpenApiDocument(createOpenApiDocument(options));
		if (out === undefined) return terminal.write(document);
		await writeFile(out, document).catch((error: Error) => {
			throw usageError(`${out} can't be written: ${error.message}`);
		});
		terminal.show({ written: out }, () => `written to ${out}`);
	},
});
