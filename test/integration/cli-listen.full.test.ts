import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { MessagingGateway } from "messaging-gateway";
import { listen } from "messaging-gateway/testing/node";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";
import { startDev } from "../support/dev-server.ts";
import {
	FOREIGN_APP,
	FOREIGN_SECRET,
	type ForeignGatewayOptions,
	startForeignGateway,
} from "../support/foreign-gateway.ts";
import { machineAt, runCli, runCliForJson, startCli } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";

const USER = "+15551234567";
/** The default secrets of `listen()`, which the command does not assume. */
const env = {
	MESSAGING_GATEWAY_APP_SECRET: "local-app-secret",
	MESSAGING_GATEWAY_WEBHOOK_SECRET: "local-webhook-secret",
};

/** Starts the command `listen` and collects its output, one JSON value per line. */
async function startListening(args: readonly string[]) {
	const child = startCli(["listen", "--json", ...args], { env });
	const lines: Record<string, unknown>[] = [];
	let rest = "";
	child.stdout.on("data", (text) => {
		const parts = `${rest}${text}`.split("\n");
		rest = parts.pop() ?? "";
		lines.push(...parts.map((line) => JSON.parse(line)));
	});
	let errors = "";
	child.stderr.on("data", (text) => {
		errors += text;
	});
	await expect.poll(() => lines.length + errors.length).toBeGreaterThan(0);
	expect(errors).toBe("");
	const end = async (signal: NodeJS.Signals): Promise<number | null> => {
		child.kill(signal);
		await once(child, "exit");
		return child.exitCode;
	};
	return { lines, end };
}

test("listen shows each event, forwards its bytes and headers, and returns the application's response", async () => {
	await using server = await listen({
		webhookSecret: "local-webhook-secret",
		webhooks: { retryDelaysMs: [20, 20, 20] },
	});
	const received: { request: IncomingMessage; body: Buffer }[] = [];
	await using application = await serve(async (request, response) => {
		received.push({ request, body: await buffer(request) });
		response.writeHead(received.length === 1 ? 500 : 204).end();
	});
	const target = `${application.url}/webhooks?from=cli`;
	const { lines, end } = await startListening(["--base-url", server.url, "--forward-to", target]);

	await server.local.contact(USER).reply("Hëllo 👋");
	await expect.poll(() => lines.length).toBe(3);
	expect(lines.slice(1)).toEqual([
		{ kind: "inbound_message", eventId: expect.stringMatching(/^evt_/), verified: true, status: 500 },
		{ kind: "inbound_message", eventId: lines[1]?.["eventId"], verified: true, status: 204 },
	]);
	const [first, second] = received;
	expect(second?.request.url).toBe("/webhooks?from=cli");
	expect(second?.request.headers.host).toBe(new URL(application.url).host);
	const event = verifyWebhook(
		{ body: second?.body ?? "", headers: second?.request.headers ?? {} },
		{ secret: "local-webhook-secret" },
	);
	expect(event).toMatchObject({ kind: "inbound_message", data: { text: "Hëllo 👋" } });
	expect(first?.body).toEqual(second?.body);
	expect(await end("SIGINT")).toBe(0);
});

test("listen registers its URL, and restores the previous one when it stops", async () => {
	await using server = await listen({ deliverTo: "http://127.0.0.1:9/before" });
	const gateway = new MessagingGateway(server.clientOptions);
	const { lines, end } = await startListening(["--base-url", server.url]);
	const during = await gateway.settings.getWebhooks();
	expect(during.inboundWebhookUrl).toBe(lines[0]?.["registered"]);
	expect(await end("SIGTERM")).toBe(0);
	const { inboundWebhookUrl, statusWebhookUrl } = await gateway.settings.getWebhooks();
	expect([inboundWebhookUrl, statusWebhookUrl]).toEqual([
		"http://127.0.0.1:9/before",
		"http://127.0.0.1:9/before",
	]);
});

test("listen shows why an event is not verified, and responds with 502 if it cannot be forwarded", async () => {
	await using server = await listen({ webhookSecret: "another-secret", webhooks: { retryDelaysMs: [] } });
	const { lines, end } = await startListening([
		"--base-url",
		server.url,
		"--forward-to",
		"http://127.0.0.1:9/",
		"--payload",
	]);
	await server.local.contact(USER).reply("Hello");
	await expect.poll(() => lines.length).toBe(2);
	expect(lines[1]).toMatchObject({
		verified: false,
		problem: "signature_mismatch",
		status: 502,
		forwardProblem: "nobody listens at http://127.0.0.1:9",
	});
	expect(JSON.parse(String(lines[1]?.["payload"])).text).toBe("Hello");
	await end("SIGINT");
});

test("listen passes on the beginning of a large response", async () => {
	await using server = await listen({});
	const mebibyte = 1024 * 1024;
	await using application = await serve((_, response) => {
		response.writeHead(201).end(Buffer.alloc(3 * mebibyte));
	});
	const { lines, end } = await startListening(["--base-url", server.url, "--forward-to", application.url]);
	const response = await fetch(String(lines[0]?.["listening"]), { method: "POST", body: "{}" });
	expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([201, mebibyte]);
	await end("SIGINT");
});

test("listen names the fields that were filled, and those that are not as documented", async () => {
	await using server = await listen({
		readings: ["nulls in events are left out"],
		webhooks: { encode: (payload) => [payload, { ...payload, chatGuid: undefined, timestamp_ms: "now" }] },
	});
	const { lines, end } = await startListening(["--base-url", server.url]);
	await server.local.contact(USER).reply("Hello");
	await expect.poll(() => lines.length).toBe(3);
	expect(lines[1]).toMatchObject({ kind: "inbound_message", filled: ["groupId"] });
	expect(lines[1]).not.toHaveProperty("issues");
	expect(lines[2]).toMatchObject({
		kind: "unknown",
		issues: ["chatGuid is missing", "timestamp_ms must be an integer within 2^53"],
		filled: ["groupId"],
	});
	await end("SIGINT");
});

test("a port in use is an error", async () => {
	await using server = await listen({});
	const other = createServer().listen(0, "127.0.0.1");
	await once(other, "listening");
	const address = other.address();
	const port = typeof address === "object" ? String(address?.port) : "";
	const { code, stderr } = await runCli(["listen", "--base-url", server.url, "--port", port], { env });
	expect([code, stderr]).toEqual([
		2,
		`error: port ${port} is already in use\nGive another one with --port, or 0 for any free port.\n`,
	]);
	other.close();
});

test("doctor reports what was seen to work, or why calls fail", async () => {
	await using server = await listen({});
	const healthy = await runCli(["doctor", "--base-url", server.url], { env });
	expect(healthy).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("\nHealthy: ") });
	expect(server.local.requests.every(({ probe }) => probe)).toBe(true);
	const wrong = await runCliForJson(["doctor", "--base-url", server.url], {
		env: { MESSAGING_GATEWAY_APP_SECRET: "a-wrong-secret" },
	});
	expect([wrong.code, wrong.value.findings[0].cause]).toEqual([1, "credentials_or_dialect"]);
	expect(JSON.stringify(wrong.value)).not.toContain("a-wrong-secret");
});

test.each<[title: string, gateway: ForeignGatewayOptions, code: number, verdict: string]>([
	[
		"another form of bodies",
		{ canonical: "go" },
		1,
		"Not healthy: calls of this client fail, as the findings say.",
	],
	["bodies in no known form", { canonical: "spaced" }, 1, "Not healthy: calls of this client fail"],
	["another secret", { secret: "another" }, 1, "Not healthy: no signed call was accepted."],
	[
		"no check at all",
		{ isUnchecked: true, mapping: "present" },
		3,
		"Calls are accepted with any signature; the signing is unproven.",
	],
])("doctor ends with what is proven: %s", async (_title, options, code, verdict) => {
	await using gateway = await startForeignGateway(options);
	const args = ["doctor", "--base-url", gateway.baseUrl, "--app-id", FOREIGN_APP];
	const run = await runCli(args, { env: { MESSAGING_GATEWAY_APP_SECRET: FOREIGN_SECRET } });
	expect(run.stdout.trimEnd().split("\n").at(-1)).toContain(verdict);
	expect([run.code, run.stderr]).toEqual([code, ""]);
});

test("doctor says that signed GETs work if bodies are unproven, with exit code 3", async () => {
	await using gateway = await startForeignGateway({});
	// A signature is checked only for GET, as where a proxy answers every POST.
	await using proxy = await serve(async (request, response) => {
		if (request.method === "POST") {
			response.end('{"ok":true,"data":{}}');
			return;
		}
		const { host: _, connection: __, ...headers } = request.headers;
		const passed = await fetch(gateway.baseUrl + request.url, { headers: headers as Record<string, string> });
		response.writeHead(passed.status, { "Content-Type": passed.headers.get("Content-Type") ?? "" });
		response.end(await passed.text());
	});
	const args = ["doctor", "--base-url", proxy.url, "--app-id", FOREIGN_APP];
	const run = await runCli(args, { env: { MESSAGING_GATEWAY_APP_SECRET: FOREIGN_SECRET } });
	expect(run.stdout).toContain("Bodies are unproven: a body with a wrong signature got 200");
	expect(run.stdout.trimEnd().split("\n").at(-1)).toBe(
		"Signed GETs work; bodies are unproven, so sends may still fail.",
	);
	expect(run.code).toBe(3);
	const json = await runCliForJson(args, { env: { MESSAGING_GATEWAY_APP_SECRET: FOREIGN_SECRET } });
	expect([json.code, json.value.isHealthy, json.value.hasTestedBodies]).toEqual([3, null, false]);
});

test("doctor knows the local gateway's credentials, and that two secrets are one", async () => {
	const home = mkdtempSync(join(tmpdir(), "messaging-gateway-doctor-"));
	const machine = machineAt(home);
	await using dev = await startDev([], { env: machine });
	const diagnose = (own: Record<string, string>) =>
		runCli(["doctor", "--base-url", dev.baseUrl], { env: { ...machine, ...own } });
	expect((await diagnose({})).code).toBe(0);
	for (const [own, message] of [
		[{ MESSAGING_GATEWAY_APP_SECRET: "another" }, "certain: The App Secret isn't that of the local gateway"],
		[{ MESSAGING_GATEWAY_APP_ID: "another" }, "certain: The app id isn't that of the local gateway"],
		[{ MESSAGING_GATEWAY_APP_SECRET: dev.webhookSecret }, "certain: The App Secret is the webhook secret"],
	] as const) {
		const { code, stdout } = await diagnose(own);
		expect([code, stdout]).toEqual([1, expect.stringContaining(message)]);
		expect(stdout).toMatch(/signature rejected {2}GET \S+: it should be accepted/);
	}
	const { stdout } = await runCli(["log", "--base-url", dev.baseUrl], { env: machine });
	expect(stdout).toBe("nothing happened yet\n");
	const probes = await runCli(["log", "--probes", "--base-url", dev.baseUrl], { env: machine });
	expect(probes.stdout).toContain("← mappings.get");
	const send = ["send", "--to", "+15551234567", "--text", "Hi", "--base-url", dev.baseUrl];
	expect(await runCli(send, { env: { ...machine, MESSAGING_GATEWAY_APP_SECRET: "another" } })).toMatchObject({
		code: 1,
		stderr: expect.stringContaining("The App Secret isn't that of the local gateway"),
	});
	rmSync(home, { recursive: true });
});

test("openapi writes the document", async () => {
	const { code, stdout } = await runCli(["openapi", "--base-url", "https://gateway.example"]);
	const document = JSON.parse(stdout);
	expect([code, document.openapi, document.servers[0].url]).toEqual([0, "3.1.1", "https://gateway.example"]);
	expect((await runCli(["openapi", "--out", "/no/such/folder/openapi.json"])).code).toBe(2);
});
