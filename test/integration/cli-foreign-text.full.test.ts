import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { listen } from "messaging-gateway/testing/node";
import { signWebhook } from "messaging-gateway/webhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { operationSamples } from "../support/operation-samples.ts";
import { type CliResult, runCli, startCli } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";

/** Clears the screen, sets the title, rings, starts a one-character control sequence, and reverses the direction. */
const HOSTILE = "\u001b[2J\u001b]0;owned\u0007\r\u007f\u009b31m\u202egpj.exe\u2066";
const ANY_CONTROL = /(?![\n])[\p{Cc}\p{Bidi_Control}]/u;
const SECRET = "a-webhook-secret";
const LIMIT_BYTES = 1024 * 1024;

let folder: string;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-foreign-"));
});

afterAll(() => {
	rmSync(folder, { recursive: true });
});

const SENT_MESSAGE = z.looseObject({}).parse(operationSamples["messages.get"].data["message"]);

/** Response data that is valid for every verb's operation. */
const HOSTILE_DATA = {
	...operationSamples["messages.tapback"].data,
	...operationSamples["messages.typing"].data,
	...operationSamples["messages.markRead"].data,
	...operationSamples["messages.checkCapability"].data,
	...operationSamples["mappings.get"].data,
	number: HOSTILE,
	service: HOSTILE,
	reaction: HOSTILE,
	message: { ...SENT_MESSAGE, messageId: HOSTILE, status: HOSTILE, text: HOSTILE, [HOSTILE]: HOSTILE },
};

/** A gateway that responds to every request with the same envelope. */
function hostileGateway(status: number, envelope: object): RequestListener {
	return (_, response) => {
		const headers = { "content-type": "application/json", "x-request-id": "req\u009b31m" };
		response.writeHead(status, headers).end(JSON.stringify(envelope));
	};
}

function expectHarmless({ stdout, stderr }: CliResult): void {
	expect(stdout).not.toMatch(ANY_CONTROL);
	expect(stderr).not.toMatch(ANY_CONTROL);
}

describe("a gateway's response cannot control the terminal", () => {
	const number = "+15551234567";
	const verbs = [
		["send", "--to", number, "--text", "Hello"],
		["call", "messages.get", "--set", "messageId=5f0c9d4e-0000-4000-8000-000000000000"],
		["call", "messages.checkCapability", "--set", `toNumber=${number}`],
		["call", "mappings.get", "--data", JSON.stringify({ toNumber: number })],
		["doctor"],
	];
	const env = { MESSAGING_GATEWAY_APP_ID: "app", MESSAGING_GATEWAY_APP_SECRET: "s3cret" };

	const runs = verbs.flatMap((verb) => [verb, [...verb, "--json"]]);
	test.each(runs.map((args) => ({ args, line: args.join(" ") })))("$line", async ({ args }) => {
		await using accepting = await serve(hostileGateway(200, { ok: true, data: HOSTILE_DATA }));
		const accepted = await runCli([...args, "--base-url", accepting.url], { env });
		expectHarmless(accepted);
		// It accepts every signature, so that of a body cannot be tested.
		expect(accepted.code).toBe(args[0] === "doctor" ? 3 : 0);
		const error = { code: HOSTILE, message: HOSTILE, details: { reason: HOSTILE } };
		await using rejecting = await serve(hostileGateway(400, { ok: false, error }));
		const rejected = await runCli([...args, "--base-url", rejecting.url], { env });
		expectHarmless(rejected);
		expect(rejected.code).toBe(1);
	});

	test("its control characters are shown as escapes", async () => {
		await using server = await serve(hostileGateway(200, { ok: true, data: HOSTILE_DATA }));
		const { stdout } = await runCli(
			["call", "messages.checkCapability", "--set", `toNumber=${number}`, "--base-url", server.url],
			{ env },
		);
		const shown = "\\u001b[2J\\u001b]0;owned\\u0007\\u000d\\u007f\\u009b31m\\u202egpj.exe\\u2066";
		expect(stdout).toContain(`number: ${shown}\n`);
	});
});

test("a receiver's response to trigger cannot control the terminal", async () => {
	await using server = await serve((_, response) => void response.writeHead(500).end(`no${HOSTILE}\nok`));
	const env = { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };
	const result = await runCli(["trigger", "status", "--to", server.url], { env });
	expectHarmless(result);
	expect(result.stdout.split("\n")).toHaveLength(2);
});

test("a verified file cannot control the terminal", async () => {
	const body = JSON.stringify({ type: "inbound_message", text: HOSTILE }).replaceAll("\\u001b", "\u001b");
	const head = ["POST /message/text HTTP/1.1", "X-Timestamp: 1", "X-Nonce: \u009b31m", "X-App-Id: app"];
	const path = join(folder, "request.http");
	writeFileSync(path, Buffer.from(`${head.join("\r\n")}\r\n\r\n${JSON.stringify({ text: HOSTILE })}`));
	const env = { MESSAGING_GATEWAY_APP_SECRET: "s3cret", MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };
	expectHarmless(await runCli(["verify", "request", path], { env }));
	const signed = signWebhook({ body, secret: SECRET, eventId: "evt_1" });
	const lines = Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
	writeFileSync(path, Buffer.from(`${lines.join("\n")}\n\n${body}`));
	for (const option of [[], ["--explain"]]) {
		expectHarmless(await runCli(["verify", "webhook", path, ...option], { env }));
	}
});

describe("listen", () => {
	/** Starts it and collects its output. */
	async function startListening(args: readonly string[] = []) {
		const server = await listen({ webhookSecret: SECRET });
		const child = startCli(["listen", "--base-url", server.url, ...args], {
			env: {
				MESSAGING_GATEWAY_APP_SECRET: server.local.appSecret,
				MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET,
				FORCE_COLOR: "0",
			},
		});
		let output = "";
		child.stdout.setEncoding("utf8").on("data", (piece) => {
			output += piece;
		});
		child.stderr.pipe(process.stderr);
		await expect.poll(() => output).toContain("Ctrl+C stops");
		const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(output)?.[0] ?? "";
		return {
			url,
			output: () => output,
			async [Symbol.asyncDispose]() {
				child.kill("SIGINT");
				await once(child, "close");
				await server.close();
			},
		};
	}

	test("shows foreign payloads with escapes, indented below its line", async () => {
		await using listening = await startListening(["--payload"]);
		const forged = "inbound_message evt_1 verified → 200";
		await fetch(listening.url, {
			method: "POST",
			headers: { "X-SVC-Event-Id": "evt\u009b31m" },
			body: `${HOSTILE}\n${forged}`,
		});
		await expect.poll(listening.output).toContain(forged);
		expect(listening.output()).not.toMatch(ANY_CONTROL);
		expect(listening.output()).toContain("  \\u001b[2J");
		expect(listening.output()).toContain(`\n  ${forged}`);
	});

	test("responds with 413 once a body exceeds 1 MiB, before the rest arrives", async () => {
		await using listening = await startListening();
		const { hostname, port, host } = new URL(listening.url);
		const half = Buffer.alloc(LIMIT_BYTES / 2 + 1);
		const chunk = Buffer.concat([Buffer.from(`${half.length.toString(16)}\r\n`), half, Buffer.from("\r\n")]);
		const socket = connect(Number(port), hostname);
		socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`);
		socket.write(chunk);
		socket.write(chunk);
		const [first]: Buffer[] = await once(socket, "data");
		expect(String(first)).toMatch(/^HTTP\/1\.1 413 /);
		socket.destroy();
		await expect.poll(listening.output).toContain("too_large → 413");
	});

	test("responds with 413 to a Content-Length that is too large, before the body", async () => {
		await using listening = await startListening();
		const { hostname, port, host } = new URL(listening.url);
		const socket = connect(Number(port), hostname);
		socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${LIMIT_BYTES + 1}\r\n\r\n`);
		const [first]: Buffer[] = await once(socket, "data");
		expect(String(first)).toMatch(/^HTTP\/1\.1 413 /);
		socket.destroy();
	});

	test("responds with 413 to a sender that first writes everything, and forwards nothing", async () => {
		let forwarded = 0;
		await using application = await serve((_, response) => {
			forwarded++;
			response.end();
		});
		await using listening = await startListening(["--forward-to", application.url]);
		const body = Buffer.alloc(8 * LIMIT_BYTES);
		const response = await fetch(listening.url, { method: "POST", body });
		expect([response.status, await response.text()]).toEqual([413, "too_large"]);
		const fits = await fetch(listening.url, { method: "POST", body: body.subarray(0, LIMIT_BYTES) });
		expect([fits.status, forwarded]).toEqual([200, 1]);
	});
});

test("the variables that dev prints cannot control the terminal", async () => {
	const env = { MESSAGING_GATEWAY_APP_SECRET: "a\u001b[31mb\u202ec" };
	const child = startCli(["dev", "--port", "0"], { env });
	child.stdout.once("data", () => child.kill("SIGINT"));
	const output = await text(child.stdout);
	expect(output).toContain("MESSAGING_GATEWAY_APP_SECRET='a\\u001b[31mb\\u202ec'\n");
	expect(output).not.toMatch(ANY_CONTROL);
});
