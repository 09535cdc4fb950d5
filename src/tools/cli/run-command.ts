import process from "node:process";
import { type Command, CommanderError } from "commander";
import { type CommandFailure, EXIT, usageError } from "./failure.ts";
import { loadEnvironmentFile } from "./gateway-options.ts";
import { printable } from "./printable.ts";
import { createProgram } from "./program.ts";
import { Terminal } from "./terminal.ts";
import type { Starter } from "./verb.ts";

/** Options of every verb. */
interface GlobalOptions {
	json?: boolean;
	dotenv?: string;
}

/** What earlier verbs are now. */
const RENAMED = new Map([
	["requests", "log --only request"],
	["deliveries", "log --only delivery"],
	["redeliver", "log ID --redeliver"],
	["advance", "clock"],
	["reply", "contact reply"],
	["react", "contact react"],
	["read", "contact read"],
	["tapback", "call messages.tapback"],
	["typing", "call messages.typing"],
	["mark-read", "call messages.markRead"],
	["capability", "call messages.checkCapability"],
	["message", "call messages.get"],
	["compare", "adopt --check"],
]);

/** What the library of the command says of arguments, and ours: without the values, which may be a text and its contact. */
const WORDS = [
	[
		/^command-argument value '.*' is invalid for argument '(\w+)'\. Allowed choices are (.*)\.$/s,
		"<$1> must be one of $2",
	],
	[/^too many arguments for 'send'\..*$/s, 'send takes its text from a flag, as in --text "Hello"'],
	[/^(too many arguments for '[\w-]+')\..*$/s, "$1"],
] as const;

/**
 * Runs the command and resolves to its exit code, one of `EXIT`.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
	let terminal = new Terminal({ isJson: args.includes("--json") });
	const { isJson } = terminal;
	let exitCode: number = EXIT.done;
	let help = "";
	const start: Starter = (run) => async (options, given) => {
		exitCode = (await run(terminal, options, given)) ?? EXIT.done;
	};
	const program = createProgram(start, { writeError: (text) => (help += text) });
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
		if (error.code !== "commander.help" || isJson) {
			const [verb = ""] = program.args;
			const command = program.commands.find((each) => each.name() === verb);
			const hint = command
				? `\`npx messaging-gateway ${verb} --help\` has the options and examples.`
				: "Add --help for the verbs and options.";
			return terminal.reportError(toUsageError(error, program.args, command, hint));
		}
		process.stderr.write(help);
		return EXIT.usage;
	}
}

function toUsageError(
	{ code, message }: CommanderError,
	[verb = "", ...rest]: readonly string[],
	command: Command | undefined,
	hint: string,
): CommandFailure {
	if (code === "commander.help") return usageError("the verb is missing", hint);
	const renamed = code === "commander.unknownCommand" ? RENAMED.get(verb) : undefined;
	if (renamed !== undefined) return usageError(`unknown command '${verb}': it is '${renamed}' now`);
	if (verb === "verify" && !rest.some((word) => word === "webhook" || word === "request"))
		return usageError(
			"verify needs `webhook` or `request` before the file",
			`Did you mean \`${printable(["npx messaging-gateway verify webhook", ...rest].join(" "))}\`?`,
		);
	const parts = command?.commands.map((part) => part.name()) ?? [];
	if (code === "commander.unknownCommand" && parts.length > 0)
		return usageError(
			message.replace("error: unknown command", `${verb} doesn't have`),
			`Use ${parts.join(", ")}.`,
		);
	const missing = command?.options.find(({ flags }) => message.includes(`'${flags}' not specified`));
	if (missing !== undefined) return usageError(`${missing.flags} is missing: ${missing.description}`, hint);
	const told = WORDS.reduce(
		(text, [theirs, ours]) => text.replace(theirs, ours),
		message.replace(/^error: /, ""),
	);
	return usageError(told, hint);
}
