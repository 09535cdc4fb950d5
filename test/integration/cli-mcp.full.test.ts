import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Client } from "@modelcontextprotocol/client";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { type RunningMcp, startMcp } from "../support/mcp-client.ts";
import { machineAt, startCli } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";

const ALICE = "+15551234567";

let folder: string;
let dev: RunningDevServer;
let application: Awaited<ReturnType<typeof serve>>;
let mcp: RunningMcp;
let client: Client;
/** How the application's handler ends. */
let handle: () => void = () => {};

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-mcp-"));
	const env = machineAt(folder);
	dev = await startDev([], { env });
	const webhooks = createWebhookHandler({
		secret: dev.webhookSecret,
		store: memoryStore(),
		on: { inbound_message: () => handle(), unknown: () => {} },
		onError: () => undefined,
	});
	application = await serve(toNode(webhooks));
	await dev.act({ type: "destinations", inboundWebhookUrl: application.url });
	mcp = await startMcp(env);
	client = mcp.client;
});

afterAll(async () => {
	await client.close();
	await dev.end("SIGINT");
	await application[Symbol.asyncDispose]();
	rmSync(folder, { recursive: true });
});

const use: RunningMcp["use"] = (name, input) => mcp.use(name, input);

/** The lines of a list. */
async function linesOf(input: object): Promise<string[]> {
	return (await use("list_activity", input)).value.lines;
}

test("there are eight tools, each with a description and an input", async () => {
	const { tools } = await client.listTools();
	expect(tools.map(({ name }) => name)).toEqual([
		"send_message",
		"act_as_contact",
		"list_activity",
		"show_item",
		"wait_for",
		"redeliver",
		"inject_faults",
		"move_clock",
	]);
	for (const { description, inputSchema } of tools) {
		expect(description?.length).toBeGreaterThan(50);
		expect(inputSchema).toMatchObject({ type: "object", properties: expect.any(Object) });
	}
	expect(client.getInstructions()).toContain("local gateway");
});

test("a session: a handler that fails is seen, fixed, and the webhook delivered again", async () => {
	const from = "+15557654001";
	handle = () => {
		throw new Error("a bug of the application");
	};
	await use("act_as_contact", { from, write: "Is anybody there?" });
	await use("move_clock");
	const failed = await use("list_activity", { failed: true, conversation: from });
	const [line] = failed.value.lines;
	expect(line).toMatch(/^evt_\w{8} [\d:]{8} → inbound_message 500 failed \+15557654001 handler_failed$/);
	expect(failed.value.failures).toEqual({
		handler_failed: {
			reason: "The receiver's handler threw, and the response was 500.",
			fix: expect.stringContaining("log"),
		},
	});
	const id = line.split(" ")[0];
	const { value: details } = await use("show_item", { id });
	expect(details.attempts[0]).toMatchObject({ status: 500, response: { body: "handler_failed" } });

	handle = () => {};
	const again = await use("redeliver", { id });
	expect(again.value.lines).toEqual([expect.stringMatching(/→ inbound_message 200 delivered/)]);
	expect(again.value).not.toHaveProperty("failures");
});

test("what is waited for may be new: after an earlier result", async () => {
	const before = await use("list_activity", {});
	await use("act_as_contact", { from: ALICE, write: "Once more" });
	const { after } = before.value;
	const waited = await use("wait_for", { what: "delivery", after, status: "200" });
	expect(waited.value.lines).toEqual([expect.stringMatching(/→ inbound_message 200 delivered/)]);
	expect(await linesOf({ after })).toEqual(waited.value.lines);
	const late = await use("wait_for", { what: "request", after, seconds: 0 });
	expect(late).toMatchObject({
		isError: true,
		value: { message: expect.stringContaining("nothing matched") },
	});
	expect((await use("wait_for", { what: "settled" })).value).toEqual({ settled: true });
});

test("a session: a send that is rejected, and why", async () => {
	const sent = await use("send_message", { to: ALICE, text: "Hello" });
	expect(sent.value).toMatchObject({ message: { status: "queued", to: ALICE } });
	const repeated = await use("send_message", { to: ALICE, text: "Hello" });
	expect(repeated).toMatchObject({
		isError: true,
		value: { name: "DuplicateMessageError", code: "duplicate_message", outcome: "rejected" },
	});
	const { value: list } = await use("list_activity", { kind: "request", failed: true, search: ALICE });
	expect(list.lines).toEqual([
		expect.stringMatching(/^\w{8} [\d:]{8} ← messages.sendText 409 \+15551234567 duplicate$/),
	]);
	expect(list.failures.duplicate.reason).toContain("The duplicate rule blocked the message");
	const { value: details } = await use("show_item", { id: list.lines[0].split(" ")[0] });
	expect(JSON.parse(details.body)).toMatchObject({ text: "Hello" });
	await use("move_clock", { seconds: 600 });
	expect(await use("send_message", { to: ALICE, text: "Hello" })).toMatchObject({ isError: false });
	await use("move_clock");
	await use("act_as_contact", { from: ALICE, react: "love", read: true });
	const [message = ""] = await linesOf({ kind: "message", conversation: ALICE, limit: 1 });
	expect(message).toMatch(/ \+15550000001 → \+15551234567 read "Hello"$/);
	const shown = await use("show_item", { id: message.split(" ")[0] });
	expect(shown.value).toMatchObject({ status: "read", tapbacks: [{ reaction: "love" }] });
	await use("act_as_contact", { from: ALICE, react: "love", remove: true });
	expect((await use("show_item", { id: message.split(" ")[0] })).value).toMatchObject({ tapbacks: [] });
});

test("a list of 50 is under 6 kB, and says how to get the older ones", async () => {
	for (let at = 0; at < 60; at++) await use("act_as_contact", { from: "+15557654399", write: `Text ${at}` });
	await use("wait_for", { what: "settled" });
	const { content } = await client.callTool({ name: "list_activity", arguments: { limit: 50 } });
	expect(JSON.stringify(content).length).toBeLessThan(6_000);
	const { value } = await use("list_activity", { conversation: "+15557654399", limit: 50 });
	expect(value.older.count).toBe(10);
	const older = await linesOf({ conversation: "+15557654399", limit: 50, before: value.older.before });
	expect(older).toHaveLength(10);
});

test("a session: faults", async () => {
	const added = await use("inject_faults", {
		requests: { fault: { kind: "respond", status: 400 }, operationId: "messages.sendText" },
		webhooks: { fault: { kind: "repeat_attempt", response: "first", delayMs: 5_000 } },
	});
	expect(added.value.active).toEqual([
		"next request of messages.sendText: response with status 400",
		"next attempt: repeated by the network 5 s later, with the response to the first",
	]);
	const rejected = await use("send_message", { to: "+15557654321", text: "Fails" });
	expect(rejected).toMatchObject({ isError: true, value: { status: 400, outcome: "rejected" } });
	expect((await use("inject_faults", { clear: true })).value).toEqual({ active: [] });
});

test("invalid input and what the gateway rejects are results that say why", async () => {
	expect(await use("redeliver", { id: "evt_none" })).toMatchObject({
		isError: true,
		value: { message: expect.stringContaining("no message, request or webhook has this id") },
	});
	const invalid = await client.callTool({ name: "send_message", arguments: { to: ALICE } });
	expect(invalid).toMatchObject({ isError: true });
	expect(JSON.stringify(invalid)).toContain("text");
});

/** Writes lines to the command, and ends its input. */
async function converse(...lines: string[]) {
	const child = startCli(["mcp", "--base-url", dev.baseUrl], { env: machineAt(folder) });
	child.stdin.on("error", () => undefined);
	child.stdin.end(lines.map((line) => `${line}\n`).join(""));
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
	return {
		code: child.exitCode,
		stderr,
		responses: stdout
			.split("\n")
			.filter(Boolean)
			.map((line) => JSON.parse(line)),
	};
}

test.each<[line: string, id: unknown, code: number]>([
	["{not JSON", null, -32700],
	["[]", null, -32600],
	["5", null, -32600],
	['{"jsonrpc":"2.0","id":7,"method":5}', 7, -32600],
	['{"id":"a","method":"ping"}', "a", -32600],
	['{"jsonrpc":"2.0","id":8,"method":"none"}', 8, -32601],
])("the line %s gets its error response", async (line, id, code) => {
	const error = { code, message: expect.any(String) };
	expect(await converse("", line)).toEqual({
		code: 0,
		stderr: "",
		responses: [{ jsonrpc: "2.0", id, error }],
	});
});

test("a line that is too long ends the command with a reason", async () => {
	const { code, stderr, responses } = await converse("{not JSON", `"${"a".repeat(12_000_000)}"`);
	expect([code, responses.length]).toEqual([1, 1]);
	expect(stderr).toBe("error: the client sent a message of more than 10485759 bytes\n");
});

test("characters that change the direction of a text are escapes", async () => {
	const { content } = await client.callTool({
		name: "send_message",
		arguments: { to: ALICE, text: "\u202eabc" },
	});
	const listed = await client.callTool({ name: "list_activity", arguments: { kind: "message" } });
	expect(JSON.stringify([content, listed.content])).not.toContain("\u202e");
	expect(JSON.stringify(listed.content)).toContain("\\\\u202eabc");
	expect(client.getInstructions()).toContain("data from strangers");
});

test("an act of nobody, or that does nothing, is an error", async () => {
	const nobody = "+15558887777";
	expect(await use("act_as_contact", { from: nobody, read: true })).toMatchObject({
		isError: true,
		value: { reason: "not_found", message: expect.stringContaining("no chat to read") },
	});
	expect(await use("act_as_contact", { from: nobody, react: "love" })).toMatchObject({ isError: true });
	expect(await use("act_as_contact", { from: ALICE })).toMatchObject({
		isError: true,
		value: { message: "nothing to do: give write, react or read" },
	});
});

describe("an agent that is started before the gateway", () => {
	let home: string;
	beforeEach(() => {
		home = mkdtempSync(join(tmpdir(), "messaging-gateway-early-"));
	});
	afterEach(() => {
		rmSync(home, { recursive: true });
	});
	const read = async (early: RunningMcp) => {
		const { isError, value } = await early.use("list_activity");
		return { isError, text: JSON.stringify(value) };
	};

	test("initialises, says what is missing, and finds it on any port", async () => {
		await using early = await startMcp(machineAt(home));
		const without = await read(early);
		expect(without.isError).toBe(true);
		expect(without.text).toContain("Start `npx messaging-gateway dev`, which creates it");
		const later = await startDev([], { env: machineAt(home) });
		try {
			expect(await read(early)).toMatchObject({ isError: false });
			await using _other = await startDev([], { env: machineAt(home) });
			expect((await read(early)).text).toContain(`2 local gateways are running, ${later.baseUrl} and `);
		} finally {
			await later.end("SIGKILL");
		}
	});

	test("says what does not respond", async () => {
		const args = ["--base-url", "http://127.0.0.1:1", "--control-token", "a".repeat(16)];
		await using early = await startMcp(machineAt(home), ...args);
		const { isError, text: said } = await read(early);
		expect(isError).toBe(true);
		expect(said).toContain("No local gateway responded at http://127.0.0.1:1");
		expect(said).toContain("npx messaging-gateway dev");
	});
});
