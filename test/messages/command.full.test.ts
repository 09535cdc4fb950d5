import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { findFreePort } from "../support/free-port.ts";
import { startMcp } from "../support/mcp-client.ts";
import { machineAt, runLine } from "../support/run-cli.ts";
import { describeMessages } from "./message-table.ts";

let folder: string;
/** A machine on which a gateway runs. */
let home: string;
let dev: RunningDevServer;
/** Where nothing listens. */
let nowhere: string;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-messages-"));
	home = mkdtempSync(join(tmpdir(), "messaging-gateway-messages-"));
	writeFileSync(join(folder, "input.json"), "{ to: 1 }");
	nowhere = `http://127.0.0.1:${await findFreePort()}`;
	dev = await startDev([], { env: machineAt(home) });
});

afterAll(async () => {
	await dev.end("SIGINT");
	for (const path of [folder, home]) rmSync(path, { recursive: true });
});

/** What a line of the command says on a machine where it has never run, but for the address of a gateway. */
async function run(line: string, at = folder): Promise<string> {
	const { stdout, stderr } = await runLine(`npx messaging-gateway ${line}`, at);
	return (stderr || stdout).trim().replaceAll(dev.baseUrl, "GATEWAY").replaceAll(folder, "FOLDER");
}

/** What a line says beside a running gateway. */
const runHere = (line: string): Promise<string> => run(line, home);

/** What a tool of MCP says. */
async function use(at: string, tool: string, input: object = {}): Promise<string> {
	const address = at === folder ? ["--base-url", nowhere] : [];
	await using mcp = await startMcp(machineAt(at), ...address);
	const { value } = await mcp.use(tool, input);
	return value.message.replaceAll(nowhere, "NOWHERE");
}

describeMessages("the command on a new machine", [
	[
		"a misspelt verb",
		() => run("sned"),
		"error: unknown command 'sned'\n(Did you mean send?)\nAdd --help for the verbs and options.",
	],
	[
		"a misspelt flag",
		() => run("dev --prot 1"),
		"error: unknown option '--prot'\n(Did you mean --port?)\n`npx messaging-gateway dev --help` has the options and examples.",
	],
	["a port that is none", () => run("dev --port x"), "error: --port must be a port number from 0 to 65535"],
	[
		"a send without a gateway",
		() => run('send --to +15551234567 --text "Hi"'),
		"error: this machine has no local secrets yet\nStart `npx messaging-gateway dev`, which creates them, or set MESSAGING_GATEWAY_APP_SECRET.",
	],
	[
		"a text without its flag",
		() => run("send +15551234567 Hi"),
		'error: send takes its text from a flag, as in --text "Hello"\n`npx messaging-gateway send --help` has the options and examples.',
	],
	[
		"a misspelt operation",
		() => run("call messages.sendtext"),
		'error: "messages.sendtext" isn\'t an operation\nDid you mean messages.sendText? `npx messaging-gateway call` lists all of them.',
	],
	[
		"an operation like none",
		() => run("call nothing"),
		'error: "nothing" isn\'t an operation\n`npx messaging-gateway call` lists all of them.',
	],
	[
		"data that is no JSON",
		() => run("call messages.sendText --data @input.json"),
		'error: --data isn\'t JSON from position 2 on\nIn most shells JSON needs single quotes around it, and double quotes inside: \'{"text": "Hello"}\'.',
	],
	[
		"a log without a gateway",
		() => run("log"),
		"error: this machine has no control token yet\nStart `npx messaging-gateway dev`, which creates it, or set the same MESSAGING_GATEWAY_CONTROL_TOKEN for that gateway and for this command.",
	],
	[
		"a kind of webhook that there is not",
		() => run("trigger inbound"),
		"error: <kind> must be one of inbound_message, inbound_reaction, status\n`npx messaging-gateway trigger --help` has the options and examples.",
	],
	[
		"a duration that is none",
		() => run("clock advance 5"),
		"error: advance 5 isn't a duration\nWrite 500 ms, 90 s, 10 min, 1 h or 2 d.",
	],
	[
		"a file that is not there",
		() => run("verify webhook nothing.txt"),
		"error: nothing.txt can't be read: there is no such file",
	],
	[
		"a certify without its URL",
		() => run("certify"),
		"error: --to <url> is missing: the URL of the receiver\n`npx messaging-gateway certify --help` has the options and examples.",
	],
]);

describeMessages("the command beside a gateway", [
	[
		"an id that there is not",
		() => runHere("log nothing"),
		"error: no message, request or webhook has this id\n`npx messaging-gateway log` lists the newest.",
	],
	[
		"a contact that is no number",
		() => runHere("contact reply --from 12 --text Hi"),
		"error: --from must be an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567.",
	],
	[
		"a fault that there is not",
		() => runHere("fault nothing"),
		"error: fault doesn't have 'nothing'\nUse respond, delay, drop, corrupt, repeat, skew, webhook, clear.",
	],
	[
		"a misspelt field of a call",
		() => runHere("call messages.sendText --set to=+15551234567 body=Hi"),
		'error: messages.sendText: text is required; the input has an unknown field: "body" (did you mean "text"?)\n  outcome: not_sent',
	],
]);

describeMessages("a tool of MCP", [
	[
		"without a gateway",
		() => use(folder, "list_activity"),
		"No local gateway responded at NOWHERE: start one with `npx messaging-gateway dev`, or give the baseUrl of another one (--base-url, MESSAGING_GATEWAY_BASE_URL).",
	],
	[
		"an id that there is not",
		() => use(home, "redeliver", { id: "evt_none" }),
		"no message, request or webhook has this id. `npx messaging-gateway log` lists the newest.",
	],
	[
		"an act that does nothing",
		() => use(home, "act_as_contact", { from: "+15551234567" }),
		"nothing to do: give write, react or read",
	],
	[
		"a chat that there is not",
		() => use(home, "act_as_contact", { from: "+15558887777", read: true }),
		"This contact has no chat to read yet. Send to it first, or let it write.",
	],
]);
