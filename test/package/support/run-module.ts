/**
 * Runs the module of a snippet as a reader does in a project: imports it, and delivers webhooks to the receiver that it
 * exports or starts. Arguments: the module, and the address at which it listens, if any. It ends once the module has printed
 * EXPECTED_LINES, as a worker of a queue does later.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { SendStore } from "messaging-gateway/sends";
import { createWebhookRequest } from "messaging-gateway/testing";
import type { EventStore } from "messaging-gateway/webhooks";

type Receiver = (request: Request) => Promise<{ readonly status: number }>;
type Fetch = (request: Request) => Promise<Response>;

/** What the snippets export, under the names of their frameworks. */
interface Exports {
	POST?: Fetch;
	webhooks?: { fetch: Fetch };
	/** An app of Hono, or a route of the Pages Router. */
	default?: { fetch: Fetch } | RequestListener;
	/** A controller of Nest. */
	WebhooksController?: new () => { receive: (request: IncomingMessage, response: ServerResponse) => unknown };
	/** What calls `handle` with the parts of a request. */
	receive?: (
		method: string,
		url: string,
		headers: Record<string, string>,
		body: Uint8Array,
	) => Promise<{ readonly statusCode: number }>;
	store?: EventStore | SendStore;
	/** Starts a worker, or creates what the rest needs. */
	startWorker?: () => Promise<void>;
	createTables?: () => Promise<void>;
}

const KINDS = ["inbound_message", "inbound_reaction", "status"] as const;

const [path = "", address] = process.argv.slice(2);
let printedLines = 0;
const { log } = console;
console.log = (...values: unknown[]) => {
	printedLines++;
	log(...values);
};
const exported: Exports = await import(path);
await exported.createTables?.();
await exported.startWorker?.();
const receive = await findReceiver(exported);
if (receive !== undefined) await deliverTo(receive);
if (exported.store !== undefined && "claim" in exported.store) {
	const claim = await exported.store.claim(randomUUID(), { leaseMs: 1_000, retentionMs: 10_000 });
	assert.equal(claim.status, "acquired");
}
// The test's time limit ends it.
while (printedLines < Number(process.env["EXPECTED_LINES"] ?? 0)) await sleep(100);
// A snippet keeps its connections and ports open.
process.exit();

async function findReceiver(module: Exports): Promise<Receiver | undefined> {
	const { POST, webhooks, default: main, WebhooksController, receive } = module;
	if (address !== undefined) return forwardTo(address);
	if (POST !== undefined) return POST;
	if (receive !== undefined) {
		return async (request) => {
			const { method, url, headers } = request;
			const { statusCode } = await receive(method, url, Object.fromEntries(headers), await request.bytes());
			return { status: statusCode };
		};
	}
	if (webhooks !== undefined) return webhooks.fetch;
	if (typeof main === "function") return listen(main);
	if (main !== undefined) return main.fetch;
	if (WebhooksController !== undefined) {
		const controller = new WebhooksController();
		return listen(async (request, response) => {
			// As Nest does with `rawBody: true`.
			controller.receive(Object.assign(request, { rawBody: await buffer(request) }), response);
		});
	}
	return undefined;
}

async function deliverTo(receive: Receiver): Promise<void> {
	const secret = process.env["MESSAGING_GATEWAY_WEBHOOK_SECRET"] ?? "";
	for (const kind of KINDS) {
		assert.equal(await retry(() => receive(createWebhookRequest(kind, {}, { secret }))), 200);
	}
	// PostgreSQL rejects this character: who inserts a text as it came would stop at this message for ever.
	const withNul = createWebhookRequest("inbound_message", { text: "a\0b" }, { secret });
	assert.equal((await receive(withNul)).status, 200);
	// The snippet may print the rejection.
	console.error = () => undefined;
	const rejected = await receive(createWebhookRequest("status", {}, { secret: "another-secret" }));
	assert.equal(rejected.status, 401);
}

/** Retries until the receiver's store is connected; the test's time limit ends it. */
async function retry(deliver: () => Promise<{ readonly status: number }>): Promise<number> {
	const { status } = await deliver();
	if (status !== 503) return status;
	await sleep(100);
	return retry(deliver);
}

function forwardTo(url: string): Receiver {
	return async (request) => {
		const { headers } = request;
		return fetch(`${url}/webhooks`, { method: "POST", headers, body: await request.arrayBuffer() });
	};
}

async function listen(listener: RequestListener): Promise<Receiver> {
	const server = createServer(listener).listen(0, "127.0.0.1");
	await once(server, "listening");
	return forwardTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
