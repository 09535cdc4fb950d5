import type { Profile } from "../../../library/catalogue/profile.ts";
import { readEnvironment } from "../../../library/host.ts";
import { writeCommand } from "../../control/diagnosis/write-command.ts";
import { CONTROL_TOKEN_VARIABLE, chooseControlToken } from "../credentials/control-token.ts";
import {
	encodeKeptSecrets,
	type KeptSecrets,
	keepSecrets,
	secretsFile,
} from "../credentials/kept-secrets.ts";
import { recordGateway } from "../credentials/running-gateways.ts";
import { findListenAddress, type ListenAddress } from "../dev/listen-address.ts";
import { createPageLog, logChanges } from "../dev/log-changes.ts";
import { openBrowser } from "../dev/open-browser.ts";
import { type DevServer, startDevServer } from "../dev/start-dev-server.ts";
import { openStateFile } from "../dev/state-file.ts";
import { clientVariables, describeReplaced, quoteValue, writeEnvironmentFile } from "../dev/write-env.ts";
import { usageError } from "../failure.ts";
import { assertHttpUrl, LOCAL_GATEWAY, PROFILE_FLAG, readPort, readProfile } from "../gateway-options.ts";
import { printable } from "../printable.ts";
import { explainListenError, untilStopped } from "../serving.ts";
import type { Terminal } from "../terminal.ts";
import { declareVerb, type OptionsOf } from "../verb.ts";

const WINDOW_VARIABLE = "DUPLICATE_SAME_NUMBER_WINDOW_SECONDS";

const FLAGS = {
	"--port <port>": { meaning: "the port; 0 for a free one", preset: String(LOCAL_GATEWAY.port) },
	"--host <address>": { meaning: "the address to listen on", preset: "127.0.0.1" },
	"--forward-to <url>": "your application's webhook URL",
	"--write-env <file>": "write the variables that a client needs to a file",
	"--force": "let --write-env replace existing values; they stay as comments",
	"--state <file>": "keep conversations, agents and webhooks in this file across restarts",
	"--no-rules": "no duplicate windows and no limit on consecutive messages",
	"--open": "open the console in the browser",
	"--control-token <token>": `the console's token (${CONTROL_TOKEN_VARIABLE})`,
	...PROFILE_FLAG,
} as const;

/** Runs a local gateway with its console. */
export const addDevVerb = declareVerb({
	usage: "dev",
	summary: "Run a local gateway, with both sides of the chat in the browser.",
	flags: FLAGS,
	examples: [
		"npx messaging-gateway dev",
		"npx messaging-gateway dev --forward-to http://localhost:3000/webhooks",
		"npx messaging-gateway dev --write-env .env --state gateway.json --port 9000",
	],
	notes: `${WINDOW_VARIABLE} sets the duplicate window of a contact. The first start creates the secrets of this machine and keeps them; MESSAGING_GATEWAY_APP_SECRET and MESSAGING_GATEWAY_WEBHOOK_SECRET override them.

The control token opens the console, and lets the other verbs act as a contact. By default it is this machine's own, which the first start also creates and keeps. Other users can see the argument of --control-token in the list of processes, so prefer the variable.`,
	async run(terminal, options) {
		const { forwardTo, writeEnv, state, host } = options;
		if (forwardTo !== undefined) assertHttpUrl("--forward-to", forwardTo);
		const profile = await readProfile(options.profile);
		const { secretsFrom, ...credentials } = readCredentials(profile);
		const token = chooseControlToken(options.controlToken);
		const listenOn = await findListenAddress(host).catch(explainListenError({ host, port: 0 }));
		const port = readPort(options.port);
		await using server = await startDevServer({
			port,
			listenOn,
			token,
			onForeignPage: createPageLog(terminal),
			gateway: {
				...credentials,
				deliverTo: forwardTo,
				rules: options.rules === false ? "off" : readRules(),
				profile,
				state: state === undefined ? undefined : openStateFile(state),
			},
		}).catch(explainListenError({ host, port }));
		const variables = clientVariables({ baseUrl: server.baseUrl, ...credentials });
		const replaced =
			writeEnv === undefined
				? undefined
				: writeEnvironmentFile(writeEnv, variables, { isForced: options.force ?? false });
		const { baseUrl, consoleUrl } = server;
		using _record = recordGateway(baseUrl);
		// Before the first output: a caller may stop the command as soon as it reads it.
		const whenStopped = untilStopped();
		const { reach } = listenOn;
		terminal.show({ baseUrl, consoleUrl, variables, forwardTo, replaced, secretsFrom, reach }, () =>
			describeStart(terminal, server, { variables, options, replaced, secretsFrom, listenOn }),
		);
		const endLog = logChanges(terminal, server.control);
		if (options.open === true)
			openBrowser(server.oneTimeUrl, () => terminal.say("no browser could be opened; the links are above"));
		await whenStopped;
		endLog();
		terminal.say("stopped");
	},
});

interface DevCredentials extends KeptSecrets {
	readonly appId: string;
	/** The file of the kept secrets; `undefined` if variables set both. */
	readonly secretsFrom: string | undefined;
}

function readCredentials(profile: Profile | undefined): DevCredentials {
	const appId = readEnvironment("MESSAGING_GATEWAY_APP_ID") ?? LOCAL_GATEWAY.appId;
	const appSecret = readEnvironment("MESSAGING_GATEWAY_APP_SECRET");
	const webhookSecret = readEnvironment("MESSAGING_GATEWAY_WEBHOOK_SECRET");
	if (appSecret !== undefined && webhookSecret !== undefined) {
		return { appId, appSecret, webhookSecret, secretsFrom: undefined };
	}
	const kept = encodeKeptSecrets(keepSecrets(), profile);
	return {
		appId,
		appSecret: appSecret ?? kept.appSecret,
		webhookSecret: webhookSecret ?? kept.webhookSecret,
		secretsFrom: secretsFile(),
	};
}

/** The specification names the variable of the contact's window (section 2.4). */
function readRules(): "on" | { duplicateWindowSeconds: { contact: number } } {
	const seconds = readEnvironment(WINDOW_VARIABLE);
	if (seconds === undefined) return "on";
	if (!/^\d{1,9}$/.test(seconds))
		throw usageError(`${WINDOW_VARIABLE} must be a non-negative integer of seconds`);
	return { duplicateWindowSeconds: { contact: Number(seconds) } };
}

interface StartFacts {
	readonly variables: Readonly<Record<string, string>>;
	readonly options: OptionsOf<typeof FLAGS>;
	/** The variables whose values `--write-env` replaced. */
	readonly replaced: readonly string[] | undefined;
	readonly secretsFrom: string | undefined;
	readonly listenOn: ListenAddress;
}

function describeStart(
	terminal: Terminal,
	{ baseUrl, consoleUrl, apiUrl }: DevServer,
	{ variables, options, replaced = [], secretsFrom, listenOn: { address, reach } }: StartFacts,
): string {
	const { forwardTo, state, writeEnv } = options;
	const link = (url: string): string => terminal.paint("cyan", url);
	return [
		`${terminal.paint("bold", "A local gateway, for development.")} Ctrl+C stops it.`,
		"",
		`  Conversations  ${link(consoleUrl)}`,
		`  API            ${link(apiUrl)}`,
		"",
		...Object.entries(variables).map(([name, value]) => `  ${name}=${printable(quoteValue(value) ?? value)}`),
		"",
		...(secretsFrom === undefined
			? []
			: [`Secrets not set by a variable are kept in ${secretsFrom}; the other verbs read them there.`]),
		writeEnv === undefined
			? `To write these lines to .env: ${writeCommand("env", baseUrl)}`
			: [`These lines are in ${writeEnv}.`, ...describeReplaced(replaced)].join(" "),
		forwardTo === undefined
			? "Webhooks aren't forwarded. Enter your application's URL on the page, or give --forward-to."
			: `Webhooks go to ${forwardTo}.`,
		...(reach === "this machine"
			? []
			: [
					`It listens on ${reach === "one address" ? address : "every address of this machine"}: the network can reach it, unencrypted. Keep the link and the secrets to yourself.`,
				]),
		state === undefined
			? "Everything is lost when it stops. To keep conversations, agents and webhooks in a file, give --state."
			: `Conversations, agents and webhooks are kept in ${state}.`,
		"",
	].join("\n");
}
