import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { createOpenApiDocument, writeOpenApiDocument } from "../../openapi/create-openapi-document.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { usageError } from "../failure.ts";
import { profileOption, readProfile } from "../gateway-options.ts";
import { MANIFEST } from "../version.ts";

interface OpenApiOptions {
	out?: string;
	baseUrl?: string;
	profile?: string;
}

/** Adds the verb that writes the OpenAPI document. */
export function addOpenApiCommand(program: Command, action: ActionMaker): void {
	program
		.command("openapi")
		.description("Write the OpenAPI 3.1 document of every operation and webhook.")
		.option("--out <file>", "the file to write (default: standard output)")
		.option("--base-url <url>", "the URL of the API")
		.addOption(profileOption())
		.addHelpText("after", examples("messaging-gateway openapi --out openapi.json"))
		.action(
			action(async (terminal, { out, baseUrl, profile }: OpenApiOptions) => {
				const document = writeOpenApiDocument(
					createOpenApiDocument({ baseUrl, profile: await readProfile(profile), manifest: MANIFEST }),
				);
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
