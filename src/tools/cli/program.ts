import process from "node:process";
import { Command } from "commander";
import { addAdoptVerb } from "./commands/adopt.ts";
import { addCallVerb } from "./commands/call.ts";
import { addCertifyVerb } from "./commands/certify.ts";
import { addClockVerb } from "./commands/clock.ts";
import { addCompletionVerb } from "./commands/completion.ts";
import { addContactVerbs } from "./commands/contact.ts";
import { addDevVerb } from "./commands/dev.ts";
import { addDoctorVerb } from "./commands/doctor.ts";
import { addEnvVerb } from "./commands/env.ts";
import { addFaultVerbs } from "./commands/fault.ts";
import { addListenVerb } from "./commands/listen.ts";
import { addLogVerb } from "./commands/log.ts";
import { addMcpVerb } from "./commands/mcp.ts";
import { addOpenApiVerb } from "./commands/openapi.ts";
import { addReplayVerb } from "./commands/replay.ts";
import { addRulesVerb } from "./commands/rules.ts";
import { addSendVerb } from "./commands/send.ts";
import { addSignVerbs } from "./commands/sign.ts";
import { addTriggerVerb } from "./commands/trigger.ts";
import { addVerifyVerbs } from "./commands/verify.ts";
import { addWaitVerb } from "./commands/wait.ts";
import { type AddVerb, type Starter, withHelp } from "./verb.ts";
import { PACKAGE_VERSION } from "./version.ts";

const MAX_COLUMNS = 80;

/** The most parts of a verb that fit into its line. */
const MAX_PARTS = 3;

/** Verbs for programs that generate code. */
const HIDDEN = ["openapi"];

const GROUPS: Readonly<Record<string, readonly AddVerb[]>> = {
	"Run a gateway on this machine": [addDevVerb, addEnvVerb, addMcpVerb, addCompletionVerb],
	"Be the application": [addSendVerb, addCallVerb],
	"Be the contact": [addContactVerbs],
	"See and steer the local gateway": [addLogVerb, addWaitVerb, addFaultVerbs, addRulesVerb, addClockVerb],
	"Sign and verify": [addSignVerbs, addVerifyVerbs, addListenVerb, addTriggerVerb],
	"Find out why": [addDoctorVerb, addAdoptVerb, addReplayVerb, addCertifyVerb],
};

/**
 * Creates the parser with all verbs, their options and their help.
 * @param options.writeError - where the parser writes its own errors, and the help if the verb is missing.
 */
export function createProgram(
	start: Starter,
	{ writeError = () => undefined }: { writeError?: (text: string) => void } = {},
): Command {
	const program = withHelp(new Command("messaging-gateway"), {
		summary: "Run the messaging gateway on your machine, call it, and find out what happened.",
		examples: [
			"npx messaging-gateway dev --forward-to http://localhost:3000/webhooks",
			"npx messaging-gateway send --to +15551234567 --text Hello",
			"npx messaging-gateway contact reply --from +15551234567 --text 'Hi there'",
			"npx messaging-gateway log --failed",
			"npx messaging-gateway doctor",
		],
		notes: "Every verb has --help with examples. Without --base-url they use the local gateway.",
	})
		.version(PACKAGE_VERSION, "-V, --version", "show the version")
		.option("--json", "write JSON, for machines")
		.option("--dotenv <file>", "read variables from a file; those already set stay")
		.helpOption("-h, --help", "show this help")
		.exitOverride()
		.configureOutput({
			getOutHelpWidth: () => Math.min(process.stdout.columns || MAX_COLUMNS, MAX_COLUMNS),
			getErrHelpWidth: () => Math.min(process.stderr.columns || MAX_COLUMNS, MAX_COLUMNS),
			writeErr: writeError,
		})
		.configureHelp({
			showGlobalOptions: true,
			minWidthToWrap: 20,
			subcommandTerm: termOf,
			visibleCommands: ({ commands }) => commands.filter((command) => !HIDDEN.includes(command.name())),
		});
	for (const [heading, verbs] of Object.entries(GROUPS)) {
		for (const add of verbs) add(program, start).helpGroup(`${heading}:`);
	}
	addOpenApiVerb(program, start);
	return program;
}

/** A command with its argument, or with the names of its parts if they are few. */
function termOf(command: Command): string {
	const parts = command.commands.map((part) => part.name());
	const argument = command.registeredArguments.map((one) =>
		one.required ? `<${one.name()}>` : `[${one.name()}]`,
	);
	const choice = parts.length > MAX_PARTS ? ["<kind>"] : parts.length > 0 ? [parts.join("|")] : argument;
	return [command.name(), ...choice].join(" ");
}
