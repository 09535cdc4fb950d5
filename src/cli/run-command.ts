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
