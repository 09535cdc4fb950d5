import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
	DeliveryView,
	MessageView,
	RequestDetails,
	RequestView,
} from "../../src/tools/control/contract.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { machineAt, runCli, runCliForJson } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";

const ALICE = "+15551234567";
const TOKEN = "a-token-of-this-test";

let folder: string;
let dev: RunningDevServer;
let receiver: Awaited<ReturnType<typeof serve>>;
let env: Record<string, string>;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-local-"));
	receiver = await serve((_request, response) => {
		response.statusCode = 418;
		response.end("no tea");
	});
	env = { ...machineAt(folder), MESSAGING_GATEWAY_CONTROL_TOKEN: TOKEN };
	dev = await startDev(["--no-rules", "--forward-to", receiver.url], { env });
	env["MESSAGING_GATEWAY_BASE_URL"] = dev.baseUrl;
});

afterAll(async () => {
	await dev.end("SIGINT");
	await receiver[Symbol.asyncDispose]();
	rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => runCli(args, { env });

/** What a verb writes as JSON. */
async function json<Value>(args: readonly string[]): Promise<Value> {
	return (await runCliForJson(args, { env })).value;
}

describe("a script plays the contact", () => {
	test("writes, also with a file", async () => {
		writeFileSync(join(folder, "photo.png"), "a picture");
		expect(await run("contact", "reply", "--from", ALICE, "--text", "Is anybody there?")).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^[\w-]{36} to \+15550000001\n$/),
		});
		expect((await run("contact", "reply", "--from", ALICE, "--attach", join(folder, "photo.png"))).code).toBe(
			0,
		);
		const found = await json<MessageView>(["wait", "message", "--search", "photo.png"]);
		expect(found).toMatchObject({ from: ALICE, outbound: false });
	});

	test("reads and reacts", async () => {
		await dev.client.messages.sendText({ to: ALICE, text: "Yes" });
		const sent = ["wait", "message", "--search", "Yes", "--status", "read", "--json"];
		expect((await run(...sent)).code).toBe(0);
		expect((await run("contact", "react", "love", "--from", ALICE)).stdout).toBe("reacted with love\n");
		expect((await run("contact", "read", "--from", ALICE)).stdout).toBe("read\n");
		const { tapbacks } = await json<MessageView>(sent);
		expect(tapbacks).toEqual([{ by: ALICE, reaction: "love" }]);
		const takeBack = ["contact", "react", "love", "--from", ALICE, "--remove"];
		expect((await run(...takeBack)).stdout).toBe("took back love\n");
		expect((await json<MessageView>(sent)).tapbacks).toEqual([]);
		expect(await run(...takeBack)).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("no such reaction"),
		});
	});

	test("reacts with a word that begins with a hyphen, but knows its options", async () => {
		const from = ["--from", ALICE];
		for (const args of [
			["-love", ...from],
			[...from, "-love"],
			[...from, "--", "-love"],
		])
			expect((await run("contact", "react", ...args)).stdout).toBe("reacted with -love\n");
		for (const args of [
			["love", "--form", ALICE],
			[...from, "love", "-laugh"],
		])
			expect((await run("contact", "react", ...args)).code).toBe(2);
	});
});

test.each(["ana@icloud.example", "88022"])("%s is played, answered and waited for", async (handle) => {
	const gateway = ["--app-id", dev.clientOptions.appId ?? ""];
	const run = (...args: string[]) =>
		runCli(args, { env: { ...env, MESSAGING_GATEWAY_APP_SECRET: dev.appSecret } });
	expect(await run("contact", "reply", "--from", handle, "--text", "Hi")).toMatchObject({ code: 0 });
	expect(await run("send", "--to", handle, "--text", `Dear ${handle}`, ...gateway)).toMatchObject({
		code: 0,
	});
	expect(await run("wait", "message", "--search", `Dear ${handle}`, "--status", "read")).toMatchObject({
		code: 0,
		stdout: expect.stringContaining(handle),
	});
	expect(await run("contact", "react", "love", "--from", handle)).toMatchObject({ code: 0 });
	const mapping = await run("call", "mappings.get", "--set", `toNumber=${handle}`, "--json", ...gateway);
	expect(mapping.stdout).toContain(`"userNumber":"${handle}"`);
	expect((await run("log", "--only", "request")).stdout).not.toContain(handle);
});

describe("a script sees what happened", () => {
	test("a rejected request, in one line and with its bodies", async () => {
		await dev.client.agents.get("+15550009999").catch(() => undefined);
		const { stdout } = await run("log", "--failed", "--only", "request");
		expect(stdout).toMatch(
			/^\d\d:\d\d:\d\d {2}404 {2}← agents\.get .*AGENT_NOT_FOUND\n {15}No agent has this number.+\n.+\n$/,
		);
		const { requestId } = await json<RequestView>(["log", "--failed", "--only", "request"]);
		const details = await json<RequestDetails>(["log", requestId]);
		expect(details).toMatchObject({ status: 404, headers: { authorization: "HMAC ***" } });
	});

	test("a message to a group, and a reply in it", async () => {
		const participants = [ALICE, "+15557654321"];
		const { groupId } = (await dev.client.messages.sendText({ participants, text: "Lunch?" })).message;
		await run("contact", "reply", "--from", ALICE, "--group", String(groupId), "--text", "At noon");
		const { stdout } = await run("log", "--only", "message", "--limit", "2");
		expect(stdout).toMatch(new RegExp(`\\+15550000001 → ${groupId} .*Lunch\\?\n`));
		expect(stdout).toMatch(new RegExp(`${groupId} ← \\${ALICE} .*At noon\n`));
	});

	test("a webhook that its receiver rejected, and delivers it again", async () => {
		expect((await run("contact", "reply", "--from", ALICE, "--text", "Any tea?")).code).toBe(0);
		await run("wait", "delivery", "--failed");
		const [webhook] = (
			await run("log", "--only", "delivery", "--failed", "--limit", "1", "--json")
		).stdout.split("\n");
		const { eventId } = JSON.parse(webhook ?? "") as DeliveryView;
		await run("wait", "settled");
		const given = ["log", eventId];
		const { attempts } = await json<DeliveryView>(given);
		expect(attempts.at(-1)).toMatchObject({ status: 418, response: { body: "no tea" } });
		const redelivered = await run("log", eventId, "--redeliver");
		expect(redelivered).toMatchObject({
			code: 1,
			stdout: expect.stringMatching(/ 418 .*given up after \d+ attempts/),
		});
		expect((await json<DeliveryView>(given)).attempts).toHaveLength(attempts.length + 1);
	});

	test("waits in vain", async () => {
		const result = await run("wait", "message", "--search", "never written", "--timeout", "300ms");
		expect(result).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("nothing matched within 300 ms"),
		});
	});

	test("does not wait longer for a receiver that never responds", async () => {
		await using silent = await serve(() => undefined);
		await using waiting = await startDev(["--forward-to", silent.url], { env });
		await waiting.act({ type: "reply", from: ALICE, text: "Is anybody there?" });
		const result = await runCli(["wait", "settled", "--timeout", "200ms"], {
			env: { ...env, MESSAGING_GATEWAY_BASE_URL: waiting.baseUrl },
		});
		expect(result).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("not everything was done within 200 ms; the gateway goes on"),
		});
	});
});

describe("a script makes things happen", () => {
	test("time", async () => {
		const { now: before } = await json<{ now: number }>(["clock"]);
		const { now } = await json<{ now: number }>(["clock", "24", "h"]);
		expect(now - before).toBeGreaterThanOrEqual(86_400_000);
	});

	test("faults", async () => {
		// The next attempt at a webhook of another test would take its fault.
		await run("wait", "settled");
		for (const args of [
			["respond", "503", "--retry-after", "5", "--times", "2", "--operation", "agents.list"],
			["delay", "1ms"],
			["drop", "before"],
			["corrupt", "html", "--times", "always"],
			["skew", "5", "min", "--behind"],
			["webhook", "delay", "5s"],
			["repeat", "first"],
			["webhook", "wrong-signature"],
			["webhook", "repeat-attempt", "copy"],
			["webhook", "repeat-attempt", "first", "--delay", "4min", "--times", "2"],
		]) {
			expect(await run("fault", ...args)).toMatchObject({ code: 0, stderr: "" });
		}
		const { faults } = await json<{ faults: string[] }>(["fault", "webhook", "repeat"]);
		expect(faults).toEqual([
			"next 2 requests of agents.list: response with status 503",
			"next request: delayed by 1 ms",
			"next request: the connection breaks before it is processed",
			"all requests: processed, and the response is an HTML page",
			"next request: repeated by the network, with the response to the first",
			"all requests: the clock is 5 min behind",
			"next webhook: 5 s late",
			"next attempt: signed with another secret",
			"next attempt: repeated by the network, with the response to the copy",
			"next 2 attempts: repeated by the network 4 min later, with the response to the first",
			"next webhook: repeated once",
		]);
		expect((await run("fault", "clear")).stdout).toBe("no faults\n");
	});
});

describe("mistakes", () => {
	test.each([
		[["contact", "reply", "--from", ALICE], 2, "give --text or --attach"],
		[["contact", "reply", "--from", ALICE, "--attach", "no-such-file"], 2, "no-such-file can't be read"],
		[["contact", "reply", "--from", "Alice", "--text", "Hi"], 2, "--from must not be a sender"],
		[["contact", "react", "love", "--from", "+15559999999"], 1, "No message has reached this contact yet"],
		[["clock", "soon"], 2, "soon isn't a duration"],
		[["fault", "respond", "99"], 2, "status must be an integer from 200 to 599"],
		[["fault", "webhook", "delay"], 2, "missing required argument 'duration'"],
		[["fault", "webhook", "delay", "soon"], 2, "soon isn't a duration"],
		[["log", "--limit", "501"], 2, "--limit must be an integer from 1 to 500"],
		[["log", "--only", "all"], 2, "--only must be request, delivery or message"],
		[["log", "--redeliver"], 2, "--redeliver needs the id of a webhook"],
		[["log", "evt_none"], 1, "no message, request or webhook has this id"],
		[["log", "--control-token", "another-token-of-16"], 1, "The control token isn't that of this gateway"],
		[["log", "--base-url", "http://127.0.0.1:1"], 1, "No local gateway responded at http://127.0.0.1:1"],
	])("%j", async (args, code, message) => {
		const result = await run(...args);
		expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
		expect(result.stderr).not.toContain("another-token-of-16");
	});

	test("on a machine where no gateway was ever started", async () => {
		const result = await runCli(["log"]);
		expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("has no control token yet") });
	});
});
