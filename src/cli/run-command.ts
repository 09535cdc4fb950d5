import { CommanderError } from "commander";
import { EXIT } from "./failure.ts";
import { loadEnvironmentFile } from "./gateway-options.ts";
import { createProgram } from "./program.ts";
import { Terminal } from "./terminal.ts";

/** Options of every verb. */
interface GlobalOptions {
	json?: boolean;
	dotenv?: string;
}

/**
 * Runs the command and resolves to its exit code: 0 for success, 1 for a failure or a problem found, 2 for a usage
 * error.
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
		// Commander has already written the message.
		if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
		return terminal.reportError(error);
	}
}
