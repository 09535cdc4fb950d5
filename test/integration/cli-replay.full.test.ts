import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { type CaptureOptions, captureFailures } from "messaging-gateway/webhooks/capture";
import { toNode } from "messaging-gateway/webhooks/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DeliveryView } from "../../src/tools/control/contract.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { machineAt, runCli, runCliForJson } from "../support/run-cli.ts";
import { type RunningServer, serve } from "../support/serve.ts";

const KEY = Buffer.alloc(32, 5).toString("base64");
const SECRET = "secret-of-production";
const TOKEN = "a-token-of-this-test";
const TEXT = "Grüße 🎉";

let folder: string;
let dev: RunningDevServer;
let env: Record<string, string>;
/** The application here: its handler fails until the bug is fixed. */
let application: RunningServer;
let isFixed = false;
const texts: string[] = [];

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-replay-"));
	env = { ...machineAt(folder), MESSAGING_GATEWAY_CONTROL_TOKEN: TOKEN, MESSAGING_GATEWAY_CAPTURE_KEY: KEY };
	dev = await startDev([], { env });
	env["MESSAGING_GATEWAY_BASE_URL"] = dev.baseUrl;
	const webhooks = createWebhookHandler({
		secret: dev.webhookSecret,
		store: memoryStore(),
		on: {
			inbound_message: ({ data }) => {
				texts.push(data.text);
				if (!isFixed) throw new TypeError("no such order");
			},
			unknown: () => undefined,
		},
		onError: () => undefined,
	});
	application = await serve(toNode(webhooks));
});

afterAll(async () => {
	await dev.end("SIGINT");
	await application[Symbol.asyncDispose]();
	rmSync(folder, { recursive: true });
});

/** Captures a delivery in production, and returns the file. */
async function capture(secret: string, changes: Partial<CaptureOptions> = {}): Promise<string> {
	let path = "";
	const captures = captureFailures({
		key: KEY,
		...changes,
		write: (name, file) => {
			path = join(folder, name);
			writeFileSync(path, file);
		},
	});
	const webhooks = createWebhookHandler({
		secret: SECRET,
		store: memoryStore(),
		on: { inbound_message: () => Promise.reject(new TypeError("no such order")), unknown: () => undefined },
		onError: () => undefined,
		hooks: captures.hooks,
	});
	await webhooks.fetch(
		createWebhookRequest("inbound_message", { text: TEXT }, { secret, eventId: "evt_production" }),
	);
	await captures.settled();
	return path;
}

test("a failure of production fails here as well, and succeeds once the handler is fixed", async () => {
	const file = await capture(SECRET);
	const failed = await runCli(["replay", file, "--to", `${application.url}/webhooks`], { env });
	expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/evt_production.*500/s) });
	expect(failed.stdout + failed.stderr).toContain("TypeError");
	expect(failed.stdout + failed.stderr).not.toContain(TEXT);

	isFixed = true;
	const { code, value }: { code: number | null; value: DeliveryView } = await runCliForJson(
		["replay", file],
		{ env },
	);
	expect(code).toBe(0);
	expect(value).toMatchObject({ eventId: "evt_production", state: "delivered" });
	// The gateway may have tried again meanwhile, by itself.
	expect([value.attempts.at(0)?.status, value.attempts.at(-1)?.status]).toEqual([500, 200]);
	expect(texts).toEqual([TEXT, TEXT]);

	// The handler does not run again, which must not look like its success.
	const repeated = await runCli(["replay", file], { env });
	expect(repeated).toMatchObject({ code: 0, stdout: expect.stringContaining("ran no handler") });
	expect(texts).toEqual([TEXT, TEXT]);

	expect((await runCli(["log"], { env })).stdout).toContain("evt_production");
});

test("of a rejected delivery the record is shown, which has nothing of it", async () => {
	const { code, stdout } = await runCli(["replay", await capture("another-secret")], { env });
	expect(code).toBe(1);
	expect(stdout).toContain("rejected with 401 signature_mismatch");
	expect(stdout).toContain("X-SVC-Signature: v1=<64 hex>");
	expect(stdout).not.toContain("production");
});

describe("a rejected delivery that was kept as it arrived", () => {
	const verify = (file: string, changes: Record<string, string> = {}) =>
		runCli(["verify", "webhook", file, "--explain"], {
			env: { ...env, MESSAGING_GATEWAY_WEBHOOK_SECRET: `"${SECRET}"`, ...changes },
		});

	test("is explained", async () => {
		const { code, stdout } = await verify(await capture(SECRET.toUpperCase(), { rejected: { body: true } }));
		expect(code).toBe(1);
		expect(stdout).toContain("certain: A webhook secret has quotes around it.");
	});

	test("is checked with the right secret at the time when it arrived", async () => {
		const file = await capture("another-secret", { rejected: { body: true } });
		const { code, stdout } = await verify(file, { MESSAGING_GATEWAY_WEBHOOK_SECRET: "another-secret" });
		expect(code).toBe(0);
		expect(stdout).toContain("The signature is valid. inbound_message evt_production");
		expect(stdout).not.toContain(TEXT);
	});

	test("a file of something else says what to do", async () => {
		expect((await verify(await capture("another-secret"))).stderr).toContain("rejected: { body: true }");
		expect((await verify(await capture(SECRET))).stderr).toContain("npx messaging-gateway replay FILE");
		const file = await capture("another-secret", { rejected: { body: true } });
		const without = await verify(file, { MESSAGING_GATEWAY_CAPTURE_KEY: "" });
		expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining("the key is missing") });
	});
});

test("an event of a worker, of an unknown kind, goes where statuses go, with the tenant named", async () => {
	const path = join(folder, "worker.capture");
	const { keep } = captureFailures({ key: KEY, write: (_, file) => writeFileSync(path, file) });
	const data = { status: "delivered", text: TEXT };
	const about = {
		reason: "schema",
		type: undefined,
		issues: [],
		issueCount: 1,
		filled: [],
		narrowed: undefined,
	} as const;
	const event = { kind: "unknown", eventId: "evt_worker", timestamp: 0, data, ...about } as const;
	await keep(event, Object.assign(new Error(TEXT), { name: TEXT }), { tenant: "acme" });
	await dev.act({ type: "destinations", inboundWebhookUrl: "", statusWebhookUrl: application.url });
	const { code, stdout } = await runCli(["replay", path], { env });
	expect(code).toBe(0);
	expect(stdout).toMatch(/^in production: failed, tenant acme, in a worker, .*\n.* status .*evt_worker/);
	expect(stdout).not.toContain(TEXT);
});

test("what cannot be replayed is said, with what to do", async () => {
	const file = await capture(SECRET);
	const errorOf = async (args: readonly string[], changes: Record<string, string> = {}) => {
		const { code, stderr } = await runCli(["replay", ...args], { env: { ...env, ...changes } });
		return `${code} ${stderr.trim()}`;
	};
	const other = Buffer.alloc(32, 6).toString("base64");
	expect(await errorOf([file], { MESSAGING_GATEWAY_CAPTURE_KEY: other })).toMatch(/^1 .*another key/);
	expect(await errorOf([file], { MESSAGING_GATEWAY_CAPTURE_KEY: "" })).toMatch(/^2 .*the key is missing/);
	expect(await errorOf([file], { MESSAGING_GATEWAY_CAPTURE_KEY: "short" })).toMatch(/^2 .*32 bytes/);
	const text = join(folder, "text");
	writeFileSync(text, "hello");
	expect(await errorOf([text])).toMatch(/^1 .*no file of a captured failure/);
	expect(await errorOf([join(folder, "none")])).toMatch(/^2 .*can't be read/);
	expect(await errorOf([file, "--to", "ftp://x"])).toMatch(/^2 .*--to must be an http/);
});
