import { CommanderError } from "commander";
import type { ActionMaker } from "./action.ts";
import { type CommandFailure, EXIT, usageError } from "./failure.ts";
import { loadEnvironmentFile } from "./gateway-options.ts";
import { createProgram } from "./program.ts";
import { Terminal } from "./terminal.ts";

/** Options of every verb. */
interface GlobalOptions {
	json?: boolean;
	dotenv?: string;
}

/**
 * Runs the command and resolves to its exit code, one of `EXIT`.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
	let terminal = new Terminal({ isJson: args.includes("--json") });
	const { isJson } = terminal;
	let exitCode: number = EXIT.done;
	const action: ActionMaker =
		(run) =>
		async (...given) => {
			exitCode = (await run(terminal, ...given)) ?? EXIT.done;
		};
	const program = createProgram(action, { isSilent: isJson });
	program.hook("preAction", async (_, command) => {
		const { json = false, dotenv } = command.optsWithGlobals<GlobalOptions>();
		terminal = new Terminal({ isJson: json });
		if (dotenv !== undefined) await loadEnvironmentFile(dotenv);
	});
	try {
		await program.parseAsync([...args], { from: "user" });
		return exitCode;
	} catch (error) {
		if (!(error instanceof CommanderError)) return terminal.reportError(error);
		if (error.exitCode === 0) return EXIT.done;
		// Commander has already written the message for people.
		return isJson ? terminal.reportError(toUsageError(error)) : EXIT.usage;
	}
}

function toUsageError({ code, message }: CommanderError): CommandFailure {
	const isVerbMissing = code === "commander.help";
	return usageError(
		isVerbMissing ? "the verb is missing" : message.replace(/^error: /, ""),
		"Add --help for the verbs and options.",
	);
}
