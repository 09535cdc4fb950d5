import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessagingGateway } from "messaging-gateway";
import { profileFromJson } from "messaging-gateway/maps";
import { createLocalGateway } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { createWebhookHandler, memoryStore, signWebhook } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { MAPPED_PROFILE } from "../support/mapped-profile.ts";
import { runCli, runCliForJson } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";
import { MESSAGE } from "../support/wire.ts";

const USER = "+15551234567";
const SECRET = "a-webhook-secret";
/** What means something only in a program. */
const LIBRARY_WORDS = /\b(baseUrl|appSecret|gatewayMessage|readBody|probeBody|profileSource|timeoutMs)\b/;

const SENT = { message: { ...MESSAGE, status: "sent" } };

let server: ListeningGateway;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
	server = await listen({ rules: "off" });
	await new MessagingGateway(server.clientOptions).mappings.create({ userNumber: USER });
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-cli-"));
	env = {
		MESSAGING_GATEWAY_BASE_URL: server.url,
		MESSAGING_GATEWAY_APP_SECRET: server.local.appSecret,
		MESSAGING_GATEWAY_WEBHOOK_SECRET: server.local.webhookSecret,
	};
});

afterAll(async () => {
	await server.close();
	rmSync(folder, { recursive: true });
});

function file(name: string, content: string | Uint8Array): string {
	const path = join(folder, name);
	writeFileSync(path, content);
	return path;
}

describe("help and mistakes", () => {
	test.each([
		[["--help"], 0, "Usage: messaging-gateway"],
		[["send", "--help"], 0, "Examples:\n  $ npx messaging-gateway send"],
		[["--version"], 0, ""],
		[[], 2, "Usage: messaging-gateway"],
	])("%j ends with %i", async (args, code, text) => {
		const result = await runCli(args);
		expect(result.code).toBe(code);
		expect(result.stdout + result.stderr).toContain(text);
	});

	test.each([
		[["sedn"], "unknown command 'sedn'\n(Did you mean send?)"],
		[["send", "--to", USER], "there is nothing to send"],
		[["send", "--text", "Hello"], "give exactly one of --to, --group and --participants"],
		[["send", "--to", "12", "--text", "Hello"], "--to must be"],
		[["send", "--to", USER, "--attach", "/no/such/file"], "The file couldn't be read"],
		[["call", "agents.lst"], "Did you mean agents.list?"],
		[["call", "agents.list", "--data", "{"], "--data isn't JSON"],
		[["call", "agents.list", "--data", "\ufeff{}"], "--data begins with a byte order mark (BOM)"],
		[["call", "agents.list", "--data", "@/no/such/file"], "/no/such/file can't be read"],
		[["send", "--to", USER, "--text", "a", "--profile", "/no/such/profile.mjs"], "can't be loaded"],
		[["trigger", "status", "--set", "text"], "give field=string or field:=json"],
		[["wait", "anything"], "<what> must be one of message, request, delivery, settled"],
		[
			["listen", "--base-url", "https://gateway.example"],
			"listening would overwrite its current webhook URLs",
		],
		[["listen", "--port", "99999"], "--port must be a port"],
		[["listen", "--forward-to", "localhost:3000"], "--forward-to must be an http or https URL"],
		[["listen", "--public-url", "abc.example"], "--public-url must be an http or https URL"],
		[["trigger", "status", "--to", "localhost:3000"], "--to must be an http or https URL"],
		[["certify", "--to", "localhost:3000"], "--to must be an http or https URL"],
		[["certify", "http://localhost:3000"], "--to <url> is missing: the URL of the receiver"],
		[["sign", "request", "--url", "https://gateway.example/a"], "the app id is missing"],
		[["--dotenv", "/no/such/.env", "call", "agents.list"], "/no/such/.env can't be read"],
	])("%j is an error without a stack, with exit code 2", async (args, message) => {
		const { code, stdout, stderr } = await runCli(args, { env });
		expect(stderr).toContain(message);
		expect(stderr).not.toMatch(/^\s+at /m);
		expect([code, stdout]).toEqual([2, ""]);
	});

	test.each([
		["--to", "trigger", "status"],
		["--to", "certify"],
		["--to", "log", "evt_1", "--redeliver"],
		["--to", "replay", "failure.json"],
		["--forward-to", "dev"],
		["--forward-to", "listen"],
		["--public-url", "listen"],
		["--base-url", "clock"],
	])("a URL with credentials in %s of %s is one sentence, which shows none", async (flag, ...verb) => {
		const result = await runCli([...verb, flag, "https://me:hidden@app.example/webhooks"], { env });
		expect(result).toEqual({
			code: 2,
			stdout: "",
			stderr: `error: ${flag} must be an http or https URL without credentials\n`,
		});
	});

	test("with --json a mistake is JSON on standard output", async () => {
		const { code, value } = await runCliForJson(["send", "--to", USER], { env });
		expect([code, value]).toEqual([
			2,
			{ ok: false, error: { message: "there is nothing to send", hint: expect.any(String) } },
		]);
	});

	test.each([
		[["sedn"], "unknown command 'sedn'\n(Did you mean send?)"],
		[["send", "--txt", "Hello"], "unknown option '--txt'\n(Did you mean --text?)"],
		[["wait"], "missing required argument 'what'"],
		[["wait", "anything"], expect.stringContaining("must be one of message")],
		[["sign"], "the verb is missing"],
		[[], "the verb is missing"],
	])("with --json, %j is one JSON error and nothing else", async (args, message) => {
		for (const given of [
			[...args, "--json"],
			["--json", ...args],
		]) {
			const { code, stdout, stderr } = await runCli(given, { env });
			expect([code, stderr]).toEqual([2, ""]);
			const hint = expect.stringContaining("--help");
			expect(JSON.parse(stdout)).toEqual({ ok: false, error: { message, hint } });
		}
	});

	test("with --json, help and the version stay text", async () => {
		expect(await runCli(["--json", "--help"])).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^Usage:/),
		});
		expect(await runCli(["--json", "--version"])).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^\d/),
		});
	});

	test.each([
		["requests", "log --only request"],
		["redeliver", "log ID --redeliver"],
		["reply", "contact reply"],
		["compare", "adopt --check"],
	])("the error of the earlier verb %s names the present one", async (verb, present) => {
		expect(await runCli([verb, "--any", "+15551234567"])).toEqual({
			code: 2,
			stdout: "",
			stderr: `error: unknown command '${verb}': it is '${present}' now\n`,
		});
	});

	test("openapi is no line of the help, and has its own", async () => {
		expect((await runCli(["--help"])).stdout).not.toMatch(/^ {2}openapi/m);
		expect(await runCli(["openapi", "--help"])).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("--profile"),
		});
	});

	test.each([
		["nobody listens", ({ port }: URL) => `http://127.0.0.1:${Number(port) + 1}`, "Nothing listens at"],
		[
			"the path is wrong",
			({ origin }: URL) => `${origin}/v2`,
			/Set --base-url to http:\/\/\S+:\d+, at which/,
		],
		["it speaks no TLS", ({ host }: URL) => `https://${host}`, "use http in --base-url"],
	])("send says what the doctor finds: %s", async (_title, addressOf, sentence) => {
		const args = ["send", "--to", USER, "--text", "Hello", "--base-url", addressOf(new URL(server.url))];
		const { code, stderr } = await runCli(args, { env });
		expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
		expect(stderr).not.toMatch(LIBRARY_WORDS);
		const { value } = await runCliForJson(args, { env });
		expect(value.error).toMatchObject({ hint: expect.any(String), outcome: expect.any(String) });
	});

	test("send says that the App Secret is the webhook secret", async () => {
		const args = ["send", "--to", USER, "--text", "Hello"];
		const own = { ...env, MESSAGING_GATEWAY_APP_SECRET: server.local.webhookSecret };
		const { code, stderr } = await runCli(args, { env: own });
		expect([code, stderr]).toEqual([1, expect.stringContaining("The App Secret is the webhook secret")]);
		expect(stderr).not.toContain(server.local.webhookSecret);
	});

	test("colours are written only to a terminal, or with FORCE_COLOR", async () => {
		const colour = "\u001b[";
		expect((await runCli(["call"])).stdout).not.toContain(colour);
		expect((await runCli(["call"], { env: { FORCE_COLOR: "1" } })).stdout).toContain(colour);
	});
});

describe("calls", () => {
	test("sends to a gateway that responds without a body, if its profile says so", async () => {
		const profile = { emptyResponses: true };
		await using silent = await listen({ profile });
		const own = { ...env, MESSAGING_GATEWAY_BASE_URL: silent.url };
		const args = ["send", "--to", USER, "--text", "Hello"];
		const { stderr } = await runCli([...args, "--text", "Hi"], { env: own });
		expect(stderr).toContain("the body is empty: see profile.emptyResponses");
		const path = file("empty.json", JSON.stringify(profile));
		const sent = await runCli([...args, "--profile", path], { env: own });
		expect(sent).toMatchObject({ code: 0, stdout: "accepted\n" });
	});

	test("maps in a profile.json are used by a call, the document and doctor, and a wrong one is named", async () => {
		await using mapped = await listen({ profile: profileFromJson(MAPPED_PROFILE) });
		const own = { ...env, MESSAGING_GATEWAY_BASE_URL: mapped.url };
		const profile = ["--profile", file("mapped.json", JSON.stringify(MAPPED_PROFILE))];
		const sent = await runCli(["send", "--to", USER, "--text", "Hello", ...profile], { env: own });
		expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36} queued\n$/) });
		expect(mapped.local.requests.at(-1)?.path).toBe("/v2/messages");
		const { value } = await runCliForJson(["openapi", ...profile], { env: own });
		expect(value.paths).toHaveProperty(["/v2/messages", "post"]);
		const doctor = await runCli(["doctor", ...profile], { env: own });
		expect(doctor.code).toBe(0);
		const operations = { "messages.get": { map: { request: { "{id}": "messageId" } } } };
		const wrong = file("wrong.json", JSON.stringify({ operations }));
		expect(await runCli(["call", "health.check", "--profile", wrong], { env: own })).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('map.request["{id}"] isn\'t in the path /message/{messageId}'),
		});
	});

	test("send sends a text, and a call shows it", async () => {
		const sent = await runCli(["send", "--to", USER, "--text", "Hello"], { env });
		expect([sent.code, sent.stderr]).toEqual([0, ""]);
		expect(sent.stdout).toMatch(/^[0-9a-f-]{36} queued\n$/);
		const id = `messageId=${sent.stdout.split(" ")[0]}`;
		const { value } = await runCliForJson(["call", "messages.get", "--set", id], { env });
		expect(value.message).toMatchObject({ text: "Hello", to: USER });
	});

	test("send also prints the messageGuid if the response has one", async () => {
		const messageGuid = "8f6c2b63-fc82-49e3-98de-f6428e1b899e";
		await using gateway = await serve((_request, response) => {
			response.setHeader("Content-Type", "application/json");
			const meta = { requestId: messageGuid, timestamp: new Date().toISOString() };
			const { message } = SENT;
			response.end(JSON.stringify({ ok: true, data: { message: { ...message, messageGuid } }, meta }));
		});
		const own = { ...env, MESSAGING_GATEWAY_BASE_URL: gateway.url };
		const { stdout } = await runCli(["send", "--to", USER, "--text", "Hello"], { env: own });
		expect(stdout).toBe(`${SENT.message.messageId} sent messageGuid ${messageGuid}\n`);
	});

	test("send accepts a text from standard input, files, a voice note and a group", async () => {
		const note = file("note.txt", "what is attached");
		const voice = file("voice.m4a", "not really audio");
		const text = await runCliForJson(["send", "--to", USER, "--text-file", "-"], { env, input: "Hëllo\n" });
		expect(text.value).toMatchObject({ text: "Hëllo" });
		const files = await runCliForJson(["send", "--to", USER, "--attach", note, "--text", "See"], { env });
		expect(files.value.attachments).toEqual([{ name: "note.txt", mimeType: "text/plain", size: 16 }]);
		const spoken = await runCliForJson(["send", "--to", USER, "--voice", voice], { env });
		expect(spoken.value.attachments).toHaveLength(1);
		const group = ["send", "--participants", `${USER}, +15557654321`, "--text", "All"];
		expect((await runCliForJson(group, { env })).value.groupId).toMatch(/^group-/);
	});

	test("the other acts of a chat are calls", async () => {
		const { value: sent } = await runCliForJson(["send", "--to", USER, "--text", "React"], { env });
		await server.local.settled();
		const call = (id: string, ...fields: string[]) => runCli(["call", id, "--set", ...fields], { env });
		const shown = await call("messages.get", `messageId=${sent.messageId}`);
		expect(shown.stdout).toMatch(/^message:\n {2}messageId: [0-9a-f-]{36}\n {2}status: /);
		const messageGuid = /messageGuid: (\S+)/.exec(shown.stdout)?.[1];
		for (const action of ["add", "remove"]) {
			const reacted = await call(
				"messages.tapback",
				`messageGuid=${messageGuid}`,
				"reaction=love",
				`action=${action}`,
			);
			expect(reacted.stdout).toContain(`reaction: love\naction: ${action}\n`);
		}
		expect((await call("messages.typing", `to=${USER}`, "state=start")).stdout).toContain("state: start\n");
		expect((await call("messages.markRead", `to=${USER}`)).code).toBe(0);
		expect((await call("messages.checkCapability", "toNumber=+15550001003")).stdout).toContain(
			"service: SMS\n",
		);
	});

	test("call lists the operations, and calls them with data from an argument, a file or standard input", async () => {
		const listed = await runCliForJson(["call"], { env });
		expect(listed.value).toContainEqual(
			expect.objectContaining({ operation: "mappings.get", provenance: "documented" }),
		);
		const input = JSON.stringify({ toNumber: USER });
		const path = file("input.json", input);
		for (const data of [input, `@${path}`, "-"]) {
			const { code, value } = await runCliForJson(["call", "mappings.get", "--data", data], { env, input });
			expect([code, value.mapping.userNumber]).toEqual([0, USER]);
		}
		expect(
			(await runCli(["call", "mappings.get", "--data", '{"toNumber":"+15559999999"}'], { env })).code,
		).toBe(1);
	});

	test("credentials come from the environment, an environment file, or a secret file", async () => {
		await using locked = await listen({ appId: "my-app", appSecret: "my-secret" });
		const base = ["call", "agents.list", "--base-url", locked.url];
		expect((await runCli(base)).code).toBe(2);
		const variables = { MESSAGING_GATEWAY_APP_ID: "my-app", MESSAGING_GATEWAY_APP_SECRET: "my-secret" };
		expect((await runCli(base, { env: variables })).code).toBe(0);
		const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
		expect((await runCli([...base, "--dotenv", file(".env", lines.join(""))])).code).toBe(0);
		const secret = file("secret", "my-secret\n");
		expect((await runCli([...base, "--app-id", "my-app", "--app-secret-file", secret])).code).toBe(0);
		const piped = [...base, "--app-id", "my-app", "--app-secret-file", "-"];
		expect((await runCli(piped, { input: "my-secret" })).code).toBe(0);
		const rejected = await runCli(base, {
			env: { ...variables, MESSAGING_GATEWAY_APP_SECRET: "wrong-secret" },
		});
		expect(rejected.code).toBe(1);
		expect(rejected.stdout + rejected.stderr).not.toContain("wrong-secret");
	});
});

describe("signatures", () => {
	const url = "https://gateway.example/message/text";
	const withSecret = { env: { MESSAGING_GATEWAY_APP_ID: "app", MESSAGING_GATEWAY_APP_SECRET: "s3cret" } };

	test("verify accepts a request from sign, and shows the same steps", async () => {
		const body = '{ "b": 1, "a": "é" }';
		const args = ["sign", "request", "--url", url, "--body", "-"];
		const { value: signed } = await runCliForJson(args, { ...withSecret, input: body });
		expect(signed.canonicalBody).toBe('{"a":"é","b":1}');
		const headers = Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}\r\n`);
		const message = `POST /message/text HTTP/1.1\r\n${headers.join("")}\r\n${body}`;
		const verified = await runCliForJson(["verify", "request"], { ...withSecret, input: message });
		expect([verified.code, verified.value.appId]).toEqual([0, "app"]);
		expect(verified.value.stringToSign).toBe(signed.stringToSign);
		const changed = await runCli(["verify", "request"], { ...withSecret, input: message.replace("é", "e") });
		expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining("signature_mismatch")]);
		expect(changed.stdout).toContain("String to sign");
		const replaced = message.replace(/X-Timestamp: \d+/, "X-Timestamp: 1767225600000");
		expect((await runCli(["verify", "request"], { ...withSecret, input: replaced })).stderr).toContain(
			"timestamp_out_of_range",
		);
	});

	test("verify accepts a webhook from sign, at its time", async () => {
		const body = file("payload.json", '{"messageId":"1","status":"read"}');
		const env = { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };
		const args = ["sign", "webhook", "--body", body, "--event-id", "evt_1", "--timestamp", "1767225600"];
		const { value: signed } = await runCliForJson(args, { env });
		expect(signed.headers).toEqual(
			signWebhook({
				body: '{"messageId":"1","status":"read"}',
				secret: SECRET,
				eventId: "evt_1",
				timestamp: 1767225600,
			}),
		);
		const headers = Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}\n`);
		const message = file("delivery.http", `${headers.join("")}\n{"messageId":"1","status":"read"}`);
		expect((await runCli(["verify", "webhook", message], { env })).stderr).toContain(
			"timestamp_out_of_tolerance",
		);
		expect((await runCli(["verify", "webhook", message, "--at", "signed"], { env })).code).toBe(0);
		const explained = await runCliForJson(["verify", "webhook", message, "--explain"], { env });
		expect([explained.code, explained.value.findings[0].cause]).toEqual([1, "delivery_too_old"]);
		const wrong = await runCli(["verify", "webhook", message, "--explain", "--at", "signed"], {
			env: { MESSAGING_GATEWAY_WEBHOOK_SECRET: `${SECRET} ` },
		});
		expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining("certain: ")]);
	});

	test("the issues of a payload that is not as documented are listed", async () => {
		const body = '{"type":"inbound_message","messageId":"1","text":5}';
		const headers = signWebhook({ body, secret: SECRET, eventId: "evt_1", timestamp: 1767225600 });
		const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
		const message = file("undocumented.http", `${lines.join("")}\n${body}`);
		const env = { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };
		const { code, stdout } = await runCli(["verify", "webhook", message, "--at", "signed"], { env });
		expect(code).toBe(0);
		expect(stdout).toContain("unknown evt_1");
		expect(stdout).toMatch(/^ {2}text must be a string$/m);
		const { value } = await runCliForJson(["verify", "webhook", message, "--at", "signed"], { env });
		expect(value).toMatchObject({
			kind: "unknown",
			type: "inbound_message",
			issues: expect.arrayContaining([{ path: "text", message: "must be a string" }]),
		});
	});

	test("of many issues the first 20 are listed, and how many more there are", async () => {
		const body = JSON.stringify({ type: "inbound_message", participants: Array(1_000).fill(5) });
		const headers = signWebhook({ body, secret: SECRET, eventId: "evt_1", timestamp: 1767225600 });
		const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
		const message = file("many-issues.http", `${lines.join("")}\n${body}`);
		const env = { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };
		const { value } = await runCliForJson(["verify", "webhook", message, "--at", "signed"], { env });
		const { issues, issueCount } = z
			.object({ issues: z.array(z.unknown()), issueCount: z.number() })
			.parse(value);
		expect(issues.length).toBe(20);
		expect(issueCount).toBeGreaterThanOrEqual(1_000);
		const { stdout } = await runCli(["verify", "webhook", message, "--at", "signed"], { env });
		expect(stdout).toContain(`\n  and ${issueCount - 20} more\n`);
	});

	test("without the kind of message, what is meant is said", async () => {
		const { code, stderr } = await runCli(["verify", "--explain", "delivery.http"]);
		expect(code).toBe(2);
		expect(stderr).toContain("verify needs `webhook` or `request` before the file");
		expect(stderr).toContain("`npx messaging-gateway verify webhook --explain delivery.http`");
		expect((await runCli(["verify"])).code).toBe(2);
	});

	test.each([
		["verify", "webhook", "/dev/zero"],
		["--dotenv", "/dev/zero", "verify", "webhook", "-"],
		["contact", "reply", "--from", "+15551234567", "--attach", "/dev/zero"],
	])("%s %s %s: no more than 256 MiB of a file is read", async (...args) => {
		const { code, stderr } = await runCli(args, { env: { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET } });
		const message = "/dev/zero can't be read: it has more than 256 MiB";
		expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
	});

	test("a file that is not there is an error", async () => {
		const env = { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };
		const { code, stderr } = await runCli(["verify", "webhook", "/nowhere"], { env });
		expect([code, stderr]).toEqual([
			2,
			expect.stringContaining("/nowhere can't be read: there is no such file"),
		]);
	});

	test("an invalid message is an error", async () => {
		const env = { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };
		const { code, stderr } = await runCli(["verify", "webhook"], { env, input: "no header\n\n{}" });
		expect([code, stderr]).toEqual([2, expect.stringContaining("invalid header line: no header")]);
	});
});

describe("trigger", () => {
	test("delivers a signed event with the given fields", async () => {
		const texts: string[] = [];
		const webhooks = createWebhookHandler({
			secret: SECRET,
			store: memoryStore(),
			on: {
				inbound_message: ({ data }) => texts.push(`${data.text} ${data.participants.length}`),
				unknown: () => texts.push("not as documented"),
			},
			onError: () => undefined,
		});
		await using receiver = await serve(toNode(webhooks));
		const args = [
			"trigger",
			"inbound_message",
			"--to",
			receiver.url,
			"--set",
			"text=42",
			'participants:=["a"]',
		];
		const { code, stdout } = await runCli(args, { env: { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET } });
		expect([code, texts]).toEqual([0, ["42 1"]]);
		expect(stdout).toMatch(/^inbound_message evt_\w+: 200\n$/);
		const rejected = await runCli(args, { env: { MESSAGING_GATEWAY_WEBHOOK_SECRET: "another" } });
		expect([rejected.code, rejected.stdout]).toEqual([1, expect.stringContaining("401 signature_mismatch")]);
	});

	test("an unreachable receiver is an error", async () => {
		const { code, stderr } = await runCli(["trigger", "status", "--to", "http://127.0.0.1:9/"], { env });
		expect([code, stderr]).toEqual([1, expect.stringContaining("no response from http://127.0.0.1:9/")]);
	});
});

test("the local gateway needs no app id", async () => {
	const local = createLocalGateway();
	await using listening = await listen(local);
	const args = ["send", "--to", USER, "--text", "Hello", "--base-url", listening.url];
	const { code } = await runCli(args, { env: { MESSAGING_GATEWAY_APP_SECRET: local.appSecret } });
	expect([code, local.sent.length]).toEqual([0, 1]);
});
