import { OPERATIONS } from "../../../library/catalogue/index.ts";
import type { Operation } from "../../../library/catalogue/operation.ts";
import { docsOf } from "../../../library/catalogue/operation-docs.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { nearestName } from "../../../library/nearest-name.ts";
import { callExplained } from "../doctor/examine.ts";
import { usageError } from "../failure.ts";
import { GATEWAY_FLAGS, parseFields, parseGivenJson } from "../gateway-options.ts";
import { readTextInput } from "../read-input.ts";
import { type Terminal, toText } from "../terminal.ts";
import { declareVerb } from "../verb.ts";

/** Calls any operation of the catalogue. */
export const addCallVerb = declareVerb({
	usage: "call [operation]",
	summary: "Call any operation; without one, list them all.",
	flags: {
		"--set <field=string...>": "fields of the input, as field=string or field:=json",
		"--data <json>": "the input as JSON, @file, or - for standard input",
		...GATEWAY_FLAGS,
	},
	examples: [
		"npx messaging-gateway call",
		"npx messaging-gateway call mappings.get --set toNumber=+15551234567",
		"npx messaging-gateway call messages.typing --set to=+15551234567 state=start",
		"npx messaging-gateway call settings.setWebhooks --data @webhooks.json",
	],
	notes: `A reaction names its message by the messageGuid, which \`send\` and \`log ID\` show once the message is sent:
  call messages.tapback --set messageGuid=GUID reaction=love action=add`,
	async run(terminal, { data, set, ...options }, id) {
		if (id === undefined) return listOperations(terminal);
		const operation: Operation<unknown, unknown> = findOperation(id);
		const given = parseGivenJson(await readData(data), "--data");
		const input = isJsonObject(given) ? { ...given, ...parseFields(set) } : given;
		const result = await callExplained(options, (gateway) => gateway.call(operation, input));
		terminal.show(result, () => toText(result));
	},
});

/** The operation of an id. */
export function findOperation(id: string): (typeof OPERATIONS)[number] {
	const operation = OPERATIONS.find((candidate) => candidate.id === id);
	if (operation !== undefined) return operation;
	const near = nearestName(
		id,
		OPERATIONS.map((candidate) => candidate.id),
	);
	const list = "`npx messaging-gateway call` lists all of them.";
	throw usageError(`"${id}" isn't an operation`, near === undefined ? list : `Did you mean ${near}? ${list}`);
}

async function readData(data = "{}"): Promise<string> {
	if (data === "-") return readTextInput("-");
	return data.startsWith("@") ? readTextInput(data.slice(1)) : data;
}

function listOperations(terminal: Terminal): void {
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
}
