import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { signRequest } from "messaging-gateway/signing";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore, signWebhook } from "messaging-gateway/webhooks";
import { captureFailures } from "messaging-gateway/webhooks/capture";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createProgram } from "../../src/tools/cli/program.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { installNpx, machineAt, runCliForJson } from "../support/run-cli.ts";
import { type PlantedReceiver, startPlantedReceiver } from "./support/planted-receiver.ts";

const USER = "+15551234567";
/** The receiver of the examples. */
const RECEIVER = "http://localhost:3000";
const CAPTURE_KEY = Buffer.alloc(32, 3).toString("base64");
const WEBHOOK_SECRET = "a-webhook-secret-of-the-examples";

/** The examples in the help of a command and of all commands below it, as they are printed. */
function examplesOf(command: Command): string[] {
	let help = "";
	command.configureOutput({ writeOut: (part) => (help += part) }).outputHelp();
	const own = [...help.matchAll(/^ {2}\$ (.+)$/gm)].map(([, line = ""]) => line);
	return [...own, ...command.commands.flatMap(examplesOf)];
}

const EXAMPLES = [...new Set(examplesOf(createProgram(() => async () => undefined)))];

let folder: string;
let dev: RunningDevServer;
let receiver: PlantedReceiver;
let eventId: string;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-examples-"));
	receiver = await startPlantedReceiver(WEBHOOK_SECRET);
	const options = ["--forward-to", receiver.url, "--write-env", join(folder, ".env")];
	dev = await startDev(options, { env: environmentOf(folder) });
	await reset();
	await dev.client.messages.sendText({ to: USER, text: "Hello" });
	const { value } = await runCliForJson(["wait", "delivery"], {
		env: { ...environmentOf(folder), MESSAGING_GATEWAY_BASE_URL: dev.baseUrl },
	});
	eventId = value.eventId;
	writeFiles();
	await writeCapture();
});

afterAll(async () => {
	await dev.end("SIGINT");
	await receiver[Symbol.asyncDispose]();
	rmSync(folder, { recursive: true });
});

afterEach(() => reset());

/** The examples send the same text again and again. */
async function reset(): Promise<void> {
	await dev.act({ type: "clear_faults" });
	await dev.act({ type: "rules", areOn: false });
}

function environmentOf(home: string): Record<string, string> {
	return {
		...machineAt(home),
		MESSAGING_GATEWAY_WEBHOOK_SECRET: WEBHOOK_SECRET,
		MESSAGING_GATEWAY_CAPTURE_KEY: CAPTURE_KEY,
	};
}

/** Writes the files that the examples name. */
function writeFiles(): void {
	const body = JSON.stringify({ to: USER });
	const head = (headers: object) => Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	const delivery = head(signWebhook({ body: "{}", secret: WEBHOOK_SECRET, eventId: "evt_1" }));
	const { appSecret } = dev;
	const signed = signRequest({
		method: "POST",
		url: "/message/text",
		body: { to: USER },
		appId: "local-app",
		appSecret,
	});
	for (const [name, content] of Object.entries({
		"photo.jpg": "not really a picture",
		"webhooks.json": JSON.stringify({ inboundWebhookUrl: receiver.url }),
		"body.json": JSON.stringify({ to: USER, text: "Hello" }),
		"payload.json": JSON.stringify({ status: "sent" }),
		"profile.mjs": "export default {};\n",
		"openapi.json": JSON.stringify({ openapi: "3.1.0", paths: { "/mapping/{toNumber}": { get: {} } } }),
		"delivery.http": `${delivery.join("")}\r\n{}`,
		"request.http": `POST /message/text HTTP/1.1\r\n${head(signed.headers).join("")}\r\n${body}`,
	})) {
		writeFileSync(join(folder, name), content);
	}
	installNpx(join(folder, "bin"));
}

/** Writes a failure as a receiver in production keeps it. */
async function writeCapture(): Promise<void> {
	const captures = captureFailures({
		key: CAPTURE_KEY,
		write: (_, file) => writeFileSync(join(folder, "failed.capture"), file),
	});
	const webhooks = createWebhookHandler({
		secret: WEBHOOK_SECRET,
		store: memoryStore(),
		on: { status: () => Promise.reject(new Error("no such order")), unknown: () => undefined },
		onError: () => undefined,
		hooks: captures.hooks,
	});
	await webhooks.fetch(createWebhookRequest("status", {}, { secret: WEBHOOK_SECRET }));
	await captures.settled();
}

/** What a test has to add to an example: the ports may be in use, and nobody is there to confirm. */
const ADDITIONS: readonly (readonly [RegExp, () => string])[] = [
	[/^npx messaging-gateway (dev|listen)\b/, () => " --port 0"],
	[/^npx messaging-gateway doctor .*--to /, () => " --yes"],
	[/^npx messaging-gateway trigger (?!.*--to )/, () => ` --to ${receiver.url}`],
];

test("there are examples of every verb", () => {
	expect(EXAMPLES.length).toBeGreaterThan(20);
});

test.skipIf(process.platform === "win32").each(EXAMPLES)("%s", async (example) => {
	const isServer = /^npx messaging-gateway (dev|listen)\b/.test(example);
	const substituted = example
		.replaceAll(RECEIVER, receiver.url.replace(/\/$/, ""))
		.replace(/\bevt_\w+/, eventId);
	const addition = ADDITIONS.find(([pattern]) => pattern.test(example))?.[1]() ?? "";
	const line = `${isServer ? "exec " : ""}${substituted}${addition}`;
	const { MESSAGING_GATEWAY_BASE_URL: _, ...environment } = process.env;
	const child = spawn("sh", ["-c", line], {
		// `dev` writes a new environment file; the other verbs read that of the running one.
		cwd: isServer ? mkdtempSync(join(folder, "server-")) : folder,
		env: {
			...environment,
			...environmentOf(folder),
			PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`,
			MESSAGING_GATEWAY_BASE_URL: dev.baseUrl,
		},
	});
	child.stdin.end();
	if (isServer) child.stdout.once("data", () => child.kill("SIGINT"));
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
	// Not every response can be seen.
	const codes = /^npx messaging-gateway adopt --check/.test(example) ? [0, 3] : [0];
	expect(codes, `${stdout}${stderr}`).toContain(child.exitCode);
	// `mcp` writes only responses, and nobody has asked.
	if (!example.endsWith(" mcp")) expect(stdout).not.toBe("");
});
