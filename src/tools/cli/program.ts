import { Command } from "commander";
import type { ActionMaker } from "./action.ts";
import { addCallCommand } from "./commands/call.ts";
import { addCompareCommand } from "./commands/compare.ts";
import { addContactCommands } from "./commands/contact.ts";
import { addDevCommand } from "./commands/dev.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addFaultCommand } from "./commands/fault.ts";
import { addListenCommand } from "./commands/listen.ts";
import { addMcpCommand } from "./commands/mcp.ts";
import { addMessageCommands } from "./commands/messages.ts";
import { addOpenApiCommand } from "./commands/openapi.ts";
import { addSendCommand } from "./commands/send.ts";
import { addSignCommand } from "./commands/sign.ts";
import { addTrafficCommands } from "./commands/traffic.ts";
import { addTriggerCommand } from "./commands/trigger.ts";
import { addVerifyCommand } from "./commands/verify.ts";
import { addWaitCommand } from "./commands/wait.ts";
import { examples } from "./examples.ts";
import { VERSION } from "./version.ts";

/**
 * Creates the parser with all verbs, their options and their help.
 * @param options.isSilent - whether usage errors are only thrown, and not also written for people.
 */
export function createProgram(action: ActionMaker, { isSilent = false } = {}): Command {
	const program = new Command("messaging-gateway")
		.description(
			"The messaging gateway on the command line: run it locally, call it, and inspect its signatures.",
		)
		.version(VERSION)
		.option("--json", "write JSON, for machines")
		.option("--dotenv <file>", "read variables from a file; variables already set stay")
		.showHelpAfterError("(add --help for the options)")
		.exitOverride()
		.configureOutput(isSilent ? { writeErr: () => undefined } : {})
		.configureHelp({ showGlobalOptions: true });
	const commands = [
		addDevCommand,
		addSendCommand,
		addMessageCommands,
		addCallCommand,
		addContactCommands,
		addTrafficCommands,
		addFaultCommand,
		addWaitCommand,
		addMcpCommand,
		addListenCommand,
		addTriggerCommand,
		addSignCommand,
		addVerifyCommand,
		addDoctorCommand,
		addCompareCommand,
		addOpenApiCommand,
	];
	for (const addTo of commands) addTo(program, action);
	return program.addHelpText(
		"after",
		examples(
			"messaging-gateway dev",
			"messaging-gateway send --to +15551234567 --text Hello",
			'messaging-gateway call mappings.get --data \'{"toNumber": "+15551234567"}\'',
			"messaging-gateway trigger inbound_message --to http://localhost:3000/webhooks",
		),
	);
}
