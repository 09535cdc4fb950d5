import { writeFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { usageError } from "../failure.ts";
import { profileOption, readProfile } from "../gateway-options.ts";
import { MANIFEST } from "../version.ts";

interface OpenApiOptions {
	out?: string;
	baseUrl?: string;
	profile?: string;
	control?: boolean;
}

/** Adds the verb that writes the OpenAPI document. */
export function addOpenApiCommand(program: Command, action: ActionMaker): void {
	program
		.command("openapi")
		.description("Write the OpenAPI 3.1 document of every operation and webhook.")
		.option("--out <file>", "the file to write (default: standard output)")
		.option("--base-url <url>", "the URL of the API")
		.addOption(profileOption())
		.addOption(new Option("--control", "write the control routes of `dev` instead").conflicts("profile"))
		.addHelpText(
			"after",
			examples(
				"messaging-gateway openapi --out openapi.json",
				"messaging-gateway openapi --control --out control.json",
			),
		)
		.action(
			action(async (terminal, { out, ...options }: OpenApiOptions) => {
				const document = await writeDocument(options);
				if (out === undefined) {
					terminal.write(document);
					return undefined;
				}
				await writeFile(out, document).catch((error: Error) => {
					throw usageError(`${out} cannot be written: ${error.message}`);
				});
				terminal.show({ written: out }, () => `written to ${out}`);
				return undefined;
			}),
		);
}

async function writeDocument({ control, baseUrl, profile }: Omit<OpenApiOptions, "out">): Promise<string> {
	const { createOpenApiDocument, writeOpenApiDocument } = await import("#openapi");
	if (control !== true) {
		const options = { baseUrl, profile: await readProfile(profile), manifest: MANIFEST };
		return writeOpenApiDocument(createOpenApiDocument(options));
	}
	const { createControlDocument } = await import("#control-openapi");
	return writeOpenApiDocument(createControlDocument({ baseUrl, manifest: MANIFEST }));
}
