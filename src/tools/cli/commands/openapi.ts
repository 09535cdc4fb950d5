import { writeFile } from "node:fs/promises";
import { usageError } from "../failure.ts";
import { PROFILE_FLAG, readProfile } from "../gateway-options.ts";
import { declareVerb, type OptionsOf } from "../verb.ts";
import { MANIFEST } from "../version.ts";

const FLAGS = {
	"--out <file>": "the file to write (default: standard output)",
	"--base-url <url>": "the URL of the API",
	"--control": "write the control routes of `dev` instead",
	...PROFILE_FLAG,
} as const;

/** Writes the OpenAPI document. */
export const addOpenApiVerb = declareVerb({
	usage: "openapi",
	summary: "Write the OpenAPI 3.1 document of every operation and webhook.",
	flags: FLAGS,
	examples: [
		"messaging-gateway openapi --out openapi.json",
		"messaging-gateway openapi --control --out control.json",
	],
	async run(terminal, { out, ...options }) {
		const document = await writeDocument(options);
		if (out === undefined) return terminal.write(document);
		await writeFile(out, document).catch((error: Error) => {
			throw usageError(`${out} cannot be written: ${error.message}`);
		});
		terminal.show({ written: out }, () => `written to ${out}`);
	},
});

async function writeDocument({ control, baseUrl, profile }: OptionsOf<typeof FLAGS>): Promise<string> {
	if (control && profile !== undefined) throw usageError("give --control or --profile, not both");
	const { createOpenApiDocument, writeOpenApiDocument } = await import("#openapi");
	if (control !== true) {
		const options = { baseUrl, profile: await readProfile(profile), manifest: MANIFEST };
		return writeOpenApiDocument(createOpenApiDocument(options));
	}
	const { createControlDocument } = await import("#control-openapi");
	return writeOpenApiDocument(createControlDocument({ baseUrl, manifest: MANIFEST }));
}
