import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWebhookRequest } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { startWorker } from "../../scripts/examples/start-worker.ts";

let folder: string;
let server: ListeningGateway;
let worker: Miniflare;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-worker-"));
	server = await listen({ rules: "off" });
	worker = await start();
});

beforeEach(() => {
	// What the Worker writes appears here, some time later.
	vi.spyOn(console, "log").mockImplementation(() => undefined);
	vi.spyOn(console, "error").mockImplementation(() => undefined);
	server.local.reset();
});

afterAll(async () => {
	await worker?.dispose();
	await server?.close();
	rmSync(folder, { recursive: true });
	vi.restoreAllMocks();
});

/** The example as it is deployed. */
function start(): Promise<Miniflare> {
	const { url, local } = server;
	const environment = {
		MESSAGING_GATEWAY_BASE_URL: url,
		MESSAGING_GATEWAY_APP_ID: local.appId,
		MESSAGING_GATEWAY_APP_SECRET: local.appSecret,
		MESSAGING_GATEWAY_WEBHOOK_SECRET: local.webhookSecret,
	};
	return startWorker("examples/worker", environment, { port: 0, persist: folder });
}

/** A delivery of a question, signed now. */
function ask(eventId: string, secret = server.local.webhookSecret): Request {
	const question = { text: "Where is order 4711?", from: "+15551234567" };
	return createWebhookRequest("inbound_message", question, { eventId, secret });
}

/** @returns the status of the response. */
async function deliver(request: Request): Promise<number> {
	const { headers } = request;
	const response = await worker.dispatchFetch("https://worker.example/webhooks", {
		method: "POST",
		headers: Object.fromEntries(headers),
		body: await request.arrayBuffer(),
	});
	await response.text();
	return response.status;
}

const replies = (): number => server.local.sent.length;

test("a signed delivery is replied to, and a repeat is not replied to again", async () => {
	expect(await deliver(ask("evt_1"))).toBe(200);
	expect(await deliver(ask("evt_1"))).toBe(200);
	expect(replies()).toBe(1);
});

test("a delivery with a wrong signature is rejected, and leaves no record", async () => {
	expect(await deliver(ask("evt_2", "another secret"))).toBe(401);
	expect(replies()).toBe(0);
	await expect.poll(() => vi.mocked(console.error).mock.calls.flat().join()).toContain("signature_mismatch");
	expect(await deliver(ask("evt_2"))).toBe(200);
	expect(replies()).toBe(1);
});

test("of two deliveries at once one is replied to", async () => {
	const request = ask("evt_3");
	const statuses = await Promise.all([deliver(request.clone()), deliver(request)]);
	expect(statuses).toContain(200);
	expect([200, 503]).toEqual(expect.arrayContaining(statuses));
	expect(replies()).toBe(1);
});

test("an event is known in the next isolate", async () => {
	expect(await deliver(ask("evt_4"))).toBe(200);
	await worker.dispose();
	worker = await start();
	expect(await deliver(ask("evt_4"))).toBe(200);
	expect(replies()).toBe(1);
});
