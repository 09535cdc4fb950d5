import { Command, CommanderError } from "commander";
import type { ActionMaker } from "./action.ts";
import { addCallCommand } from "./commands/call.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addListenCommand } from "./commands/listen.ts";
import { addMessageCommands } from "./commands/messages.ts";
import { addOpenApiCommand } from "./commands/openapi.ts";
import { addSendCommand } from "./commands/send.ts";
import { addSignCommand } from "./commands/sign.ts";
import { addTriggerCommand } from "./commands/trigger.ts";
import { addVerifyCommand } from "./commands/verify.ts";
import { examples } from "./examples.ts";
import { EXIT } from "./failure.ts";
import { loadEnvironmentFile } from "./gateway-options.ts";
import { Terminal } from "./terminal.ts";
import { VERSION } from "./version.ts";

/** Options of every verb. */
interface GlobalOptions {
	json?: boolean;
	dotenv?: string;
}

/**
 * Runs the command line and resolves to its exit code: 0 when it is done, 1 when it failed or something was found
 * wrong, 2 when it was called wrongly.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
	let terminal = new Terminal({ isJson: args.includes("--json") });
	let exitCode: number = EXIT.done;
	const program = createProgram((run) => async (...given) => {
		exitCode = (await run(terminal, ...given)) ?? EXIT.done;
	});
	program.hook("preAction", (_, command) => {
		const { json = false, dotenv } = command.optsWithGlobals<GlobalOptions>();
		terminal = new Terminal({ isJson: json });
		if (dotenv !== undefined) loadEnvironmentFile(dotenv);
	});
	try {
		await program.parseAsync([...args], { from: "user" });
		return exitCode;
	} catch (error) {
		// It has written what was wrong already.
		if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
		return terminal.complain(error);
	}
}

function createProgram(action: ActionMaker): Command {
	const program = new Command("messaging-gateway")
		.description(
			"The messaging gateway at the command line: run it locally, call it, and look into its signatures.",
		)
		.version(VERSION)
		.option("--json", "write JSON, for machines")
		.option("--dotenv <file>", "read variables from a file; those that are set stay")
		.showHelpAfterError("(add --help for the options)")
		.exitOverride()
		.configureHelp({ showGlobalOptions: true });
	const commands = [
		addSendCommand,
		addMessageCommands,
		addCallCommand,
		addListenCommand,
		addTriggerCommand,
		addSignCommand,
		addVerifyCommand,
		addDoctorCommand,
		addOpenApiCommand,
	];
	for (const addTo of commands) addTo(program, action);
	return program.addHelpText(
		"after",
		examples(
			"messaging-gateway send --to +15551234567 --text Hello",
			'messaging-gateway call mappings.get --data \'{"toNumber": "+15551234567"}\'',
			"messaging-gateway trigger inbound_message --to http://localhost:3000/webhooks",
		),
	);
}
