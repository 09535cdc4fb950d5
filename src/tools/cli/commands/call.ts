import type { Command } from "commander";
import { OPERATIONS } from "../../../library/catalogue/index.ts";
import type { Operation } from "../../../library/catalogue/operation.ts";
import { docsOf } from "../../../library/catalogue/operation-docs.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { usageError } from "../failure.ts";
import { createClient, type GatewayOptions, parseJson, withGatewayOptions } from "../gateway-options.ts";
import { readTextInput } from "../read-input.ts";
import { pretty, type Terminal } from "../terminal.ts";

interface CallOptions extends GatewayOptions {
	data?: string;
}

/** Adds the verb that calls any operation of the catalogue. */
export function addCallCommand(program: Command, action: ActionMaker): void {
	withGatewayOptions(program.command("call [operation]"))
		.description("Call any operation; without one, list them all.")
		.option("--data <json>", "the input as JSON, @file, or - for standard input", "{}")
		.addHelpText(
			"after",
			examples(
				"messaging-gateway call",
				'messaging-gateway call mappings.get --data \'{"toNumber": "+15551234567"}\'',
				"messaging-gateway call settings.setWebhooks --data @webhooks.json",
			),
		)
		.action(
			action(async (terminal, id: string | undefined, options: CallOptions) => {
				if (id === undefined) return listOperations(terminal);
				const operation: Operation<unknown, unknown> = findOperation(id);
				const gateway = await createClient(options);
				const data = await gateway.call(operation, parseJson(await readData(options.data), "--data"));
				terminal.show(data, () => pretty(data));
				return undefined;
			}),
		);
}

function findOperation(id: string): (typeof OPERATIONS)[number] {
	const operation = OPERATIONS.find((candidate) => candidate.id === id);
	if (operation !== undefined) return operation;
	const area = id.split(".")[0];
	const near = OPERATIONS.filter((candidate) => candidate.id.startsWith(`${area}.`)).map((found) => found.id);
	const known =
		near.length > 0
			? `The operations of ${area}: ${near.join(", ")}.`
			: "List the operations with `messaging-gateway call`.";
	throw usageError(`${id} is not an operation`, known);
}

async function readData(data = "{}"): Promise<string> {
	if (data === "-") return readTextInput("-");
	return data.startsWith("@") ? readTextInput(data.slice(1)) : data;
}

function listOperations(terminal: Terminal): undefined {
	const width = Math.max(...OPERATIONS.map(({ id }) => id.length));
	const listed = OPERATIONS.map(({ id, method, path, provenance }) => ({
		operation: id,
		method,
		path,
		summary: docsOf(id).summary,
		provenance,
	}));
	terminal.show(listed, () =>
		listed
			.map(({ operation, summary }) => `${terminal.paint("bold", operation.padEnd(width))}  ${summary}`)
			.join("\n"),
	);
	return undefined;
}
