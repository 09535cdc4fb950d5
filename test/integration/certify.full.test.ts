import { getRequestListener } from "@hono/node-server";
import express from "express";
import { Hono } from "hono";
import { createWebhookHandler, memoryStore, type WebhookHandler } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import { afterAll, describe, expect, test } from "vitest";
import { type CheckResult, certify } from "../../src/tools/cli/certify/certify.ts";
import { runCli, runCliForJson } from "../support/run-cli.ts";
import { type RunningServer, serve } from "../support/serve.ts";
import { type PlantedFault, startPlantedReceiver } from "./support/planted-receiver.ts";

// The listener of Hono replaces them for good, and other files share this worker.
const { Request, Response } = globalThis;
afterAll(() => void Object.assign(globalThis, { Request, Response }));

const SECRET = "d2ViaG9vay1zZWNyZXQtb2YtdGhpcy10ZXN0";

async function check(url: string, readCount: () => Promise<number>): Promise<CheckResult[]> {
	const kinds = ["inbound_message", "inbound_reaction", "status"] as const;
	const receiver = { url, secret: SECRET, appSecret: undefined, profile: undefined, kinds, readCount };
	const checks: CheckResult[] = [];
	for await (const one of certify(receiver)) checks.push(one);
	return checks;
}

function describeFaults(checks: readonly CheckResult[]): string[] {
	return checks.flatMap(({ name, verdict, certainty = "" }) =>
		verdict === "right" ? [] : [`${name}: ${verdict} ${certainty}`.trim()],
	);
}

const WRONG_SIGNATURES = ["wrong_secret", "changed_body", "moved_timestamp", "short_signature", "empty_body"];

/** What is found, in order: the name, the verdict and the certainty of each check that is not right. */
const FAULTS: Readonly<Record<PlantedFault, readonly string[]>> = {
	"accepts everything": [
		"wrong_secret: wrong certain",
		"changed_body: wrong certain",
		"moved_timestamp: wrong certain",
		"short_signature: wrong certain",
		"empty_signature: wrong certain",
		"no_signature: wrong certain",
		"no_timestamp: wrong certain",
		"no_event_id: advice certain",
		"old_timestamp: advice certain",
		"future_timestamp: advice certain",
		"empty_body: wrong certain",
	],
	"verifies JSON that it writes again": ["inbound_message: wrong certain"],
	"verifies JSON that it writes again with spaces": ["inbound_message: wrong certain"],
	"verifies JSON that it writes again in order": ["inbound_message: wrong certain"],
	"verifies the body without the timestamp": ["inbound_message: wrong certain"],
	"verifies a signature without v1=": ["inbound_message: wrong certain"],
	"verifies a signature in base64": ["inbound_message: wrong certain"],
	"expects milliseconds": ["inbound_message: wrong certain"],
	"decodes the secret": ["inbound_message: wrong certain"],
	"decodes the body as Latin-1": ["non_ascii: wrong certain"],
	"verifies the first chunk": ["slow_body: wrong certain", "long_text: advice certain"],
	"compares only the given digits": ["short_signature: wrong certain"],
	"verifies only what has a signature": ["empty_signature: wrong certain", "no_signature: wrong certain"],
	"verifies only what has a timestamp": ["no_timestamp: wrong certain"],
	"verifies only what has a body": ["empty_body: wrong certain"],
	"verifies only POST": ["other_method: wrong likely"],
	"needs no event id": ["no_event_id: advice certain"],
	"accepts any time": ["old_timestamp: advice certain", "future_timestamp: advice certain"],
	"accepts any time to come": ["future_timestamp: advice certain"],
	"reads bodies of any size": ["huge_body: advice likely"],
	"reads bodies of 100 kB": ["long_text: advice certain"],
	"distinguishes the case of headers": ["lower_case_headers: wrong certain"],
	"reads one signature": ["two_signatures: advice certain"],
	"requires a type": ["status: wrong certain"],
	"rejects unknown types": ["unknown_type: advice certain"],
	"rejects unknown fields": ["unknown_field: advice certain"],
	"throws for a wrong signature": WRONG_SIGNATURES.map((name) => `${name}: advice likely`),
	"closes the connection for a wrong signature": WRONG_SIGNATURES.map((name) => `${name}: advice likely`),
	"stops at an empty body": ["empty_body: advice likely", "other_method: wrong certain"],
	"waits at an empty body": ["empty_body: advice likely"],
	"remembers nothing": [
		"repeat: wrong certain",
		"retry: wrong certain",
		"at_once: wrong certain",
		"another_id: advice certain",
	],
	"remembers signatures": ["retry: wrong certain"],
	"remembers after it processed": ["at_once: wrong certain"],
	"rejects repeats": ["repeat: advice certain", "retry: advice certain", "at_once: advice certain"],
	"processes a copy under another id": ["another_id: advice certain"],
	"limits requests": ["escapes: unseen"],
	redirects: ["inbound_message: wrong certain"],
	"shows a page": ["inbound_message: wrong certain"],
};

/** What is said of a receiver that acknowledges nothing as documented. */
const REASONS: Readonly<Partial<Record<PlantedFault, RegExp>>> = {
	"verifies JSON that it writes again": /another one\. It verifies JSON that it writes again\.$/,
	"verifies JSON that it writes again with spaces": /another one\. .*JSON that it writes again, with a space/,
	"verifies JSON that it writes again in order": /JSON that it writes again, with its keys in order/,
	"verifies the body without the timestamp": /covers the body alone/,
	"verifies a signature without v1=": /has no `v1=`/,
	"verifies a signature in base64": /in base64\.$/,
	"expects milliseconds": /timestamp is in milliseconds/,
	"decodes the secret": /the bytes that the secret encodes in base64/,
	redirects: /redirects, and the gateway doesn't follow/,
	"shows a page": /^A web page responded 200/,
};

describe.concurrent("a receiver with a planted fault", () => {
	test.each(Object.entries(FAULTS))("%s", async (name, expected) => {
		const fault = name as PlantedFault;
		await using server = await startPlantedReceiver(SECRET, fault);
		const checks = await check(`${server.url}/webhooks`, () => readNumber(server.countUrl));
		expect(describeFaults(checks)).toEqual(expected);
		const wrong = checks.find(({ verdict }) => verdict !== "right");
		expect(wrong?.reason).toMatch(REASONS[fault] ?? /./);
		expect(wrong?.fix).toMatch(/\.$/);
		expect(JSON.stringify(checks)).not.toMatch(/\+1555|messaging-gateway certify/);
	});
});

async function readNumber(url: string): Promise<number> {
	return Number(await (await fetch(url)).text());
}

/** Our own receivers, each with a handler that counts. */
const ADAPTERS: Readonly<Record<string, (webhooks: WebhookHandler) => Promise<RunningServer>>> = {
	Express: (webhooks) => serve(express().all("/", toExpress(webhooks)).use(express.json())),
	Hono: (webhooks) => serve(getRequestListener(new Hono().all("/", toHono(webhooks)).fetch)),
	fetch: (webhooks) => serve(getRequestListener(webhooks.fetch)),
	"a route of Next.js": (webhooks) => {
		const route = { POST: webhooks.fetch };
		return serve(
			getRequestListener((request) =>
				request.method === "POST" ? route.POST(request) : new globalThis.Response(null, { status: 405 }),
			),
		);
	},
	"node:http": (webhooks) => serve(toNode(webhooks)),
};

describe.concurrent("without a false alarm", () => {
	test("a right receiver", async () => {
		await using server = await startPlantedReceiver(SECRET);
		const checks = await check(server.url, () => readNumber(server.countUrl));
		expect(describeFaults(checks)).toEqual([]);
		expect(checks.length).toBeGreaterThan(28);
	});

	test("acknowledges first, and counts a while later", async () => {
		let count = 0;
		const countLate = (): void => void setTimeout(() => count++, 400);
		const webhooks = createWebhookHandler({
			secret: SECRET,
			store: memoryStore(),
			on: {
				inbound_message: countLate,
				inbound_reaction: countLate,
				status: countLate,
				unknown: countLate,
			},
			onError: () => undefined,
		});
		await using server = await serve(toNode(webhooks));
		expect(describeFaults(await check(server.url, async () => count))).toEqual([]);
	});

	test.each(Object.entries(ADAPTERS))("%s", async (_name, start) => {
		let count = 0;
		const processEvent = (): void => void count++;
		const webhooks = createWebhookHandler({
			secret: SECRET,
			store: memoryStore(),
			on: {
				inbound_message: processEvent,
				inbound_reaction: processEvent,
				status: processEvent,
				unknown: processEvent,
			},
			onError: () => undefined,
		});
		await using server = await start(webhooks);
		expect(describeFaults(await check(server.url, async () => count))).toEqual([]);
	});
});

describe("the command", () => {
	const env = { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };

	test("is done with a right receiver, in at most 80 columns", async () => {
		await using server = await startPlantedReceiver(SECRET);
		const args = [
			"certify",
			"--to",
			`${server.url}/webhooks?token=hidden`,
			"--count",
			server.countUrl,
			"--strict",
		];
		const { code, stdout, stderr } = await runCli(args, { env });
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(/\n\n30 right, 0 wrong, 0 advice, 0 unseen\.\n$/);
		expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
		expect(stdout).not.toMatch(/hidden|d2Vi/);
	});

	test("fails for what is wrong, and for advice only if that is asked for", async () => {
		await using wrong = await startPlantedReceiver(SECRET, "accepts everything");
		const { code, stdout } = await runCli(["certify", "--to", wrong.url], { env });
		expect(code).toBe(1);
		expect(stdout).toContain(
			"wrong   a signature with another secret: 200\n        certain: It acknowledged",
		);
		await using advised = await startPlantedReceiver(SECRET, "accepts any time");
		expect((await runCli(["certify", "--to", advised.url], { env })).code).toBe(0);
		expect((await runCli(["certify", "--to", advised.url, "--strict"], { env })).code).toBe(1);
	});

	test("writes each check as JSON, and cannot see repeats without a count", async () => {
		await using server = await startPlantedReceiver(SECRET, "requires a type");
		const { code, value } = await runCliForJson(["certify", "--to", server.url, "--for", "inbound"], { env });
		expect(code).toBe(0);
		expect(value).toMatchObject({ isRight: true, url: `${server.url}/`, untried: 0 });
		expect(value.checks).toContainEqual({
			name: "wrong_secret",
			sent: "a signature with another secret",
			responses: ["401"],
			why: "Anyone who knows the URL can send events.",
			verdict: "right",
		});
		expect(value.checks).toContainEqual(
			expect.objectContaining({ name: "repeat", verdict: "unseen", responses: ["200", "200"] }),
		);
	});

	test("signs with the App Secret only if that is asked for", async () => {
		const appSecret = "YXBwLXNlY3JldC1vZi10aGlzLXRlc3Q";
		const both = { ...env, MESSAGING_GATEWAY_APP_SECRET: appSecret };
		// It acknowledges, and counts, whatever has such a signature.
		await using server = await startPlantedReceiver(appSecret);
		const args = ["certify", "--to", server.url];
		const unasked = await runCli(args, { env: both });
		expect(unasked.code).toBe(1);
		expect(await readNumber(server.countUrl)).toBe(0);
		expect(unasked.stdout.replace(/\s+/g, " ")).toContain("--try-app-secret finds out");
		const asked = await runCli([...args, "--try-app-secret"], { env: both });
		expect(asked.stdout.replace(/\s+/g, " ")).toContain(
			"acknowledges another one. The delivery was signed with the App Secret",
		);
		expect(await readNumber(server.countUrl)).toBe(1);
		expect(await runCli([...args, "--try-app-secret"], { env })).toMatchObject({ code: 2 });
	});

	test("stops where nobody listens, and where there is no count", async () => {
		const nobody = await runCli(["certify", "--to", "http://127.0.0.1:1/"], { env });
		expect(nobody.code).toBe(1);
		expect(nobody.stdout).toContain("certain: Nobody listens at http://127.0.0.1:1.");
		expect(nobody.stdout).toContain("0 right, 1 wrong, 0 advice, 0 unseen, 28 not tried.");
		await using server = await startPlantedReceiver(SECRET);
		const { code, stderr } = await runCli(["certify", "--to", server.url, "--count", server.url], { env });
		expect(code).toBe(1);
		expect(stderr).toContain("--count can't be read: status 405, and no number\nLet it respond with");
		expect((await runCli(["certify", "--to", server.url, "--for", "all"], { env })).code).toBe(2);
	});
});
