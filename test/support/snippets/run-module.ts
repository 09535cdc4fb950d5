/**
 * Runs the module of a snippet as its readers do, in their project: imports it, which carries it out, and delivers
 * webhooks to the receiver that it exports or starts. Arguments: the module, and the address at which it listens,
 * where it does.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createWebhookRequest } from "messaging-gateway/testing";
import type { EventStore } from "messaging-gateway/webhooks";

type Receiver = (request: Request) => Promise<{ readonly status: number }>;
type Fetch = (request: Request) => Promise<Response>;

/** What the snippets export, by the names that their frameworks want. */
interface Exports {
	POST?: Fetch;
	webhooks?: { fetch: Fetch };
	/** An app of Hono, or a route of the Pages Router. */
	default?: { fetch: Fetch } | RequestListener;
	/** A controller of Nest. */
	WebhooksController?: new () => { receive: (request: IncomingMessage, response: ServerResponse) => unknown };
	store?: EventStore;
}

const KINDS = ["inbound_message", "inbound_reaction", "status"] as const;

const [path = "", address] = process.argv.slice(2);
const exported: Exports = await import(path);
const receive = await findReceiver(exported);
if (receive !== undefined) await deliverTo(receive);
if (exported.store !== undefined) {
	const claim = await exported.store.claim(randomUUID(), { leaseMs: 1_000, retentionMs: 10_000 });
	assert.equal(claim.status, "acquired");
}
// What a snippet opens, such as a connection or a port, it keeps open.
process.exit();

async function findReceiver(module: Exports): Promise<Receiver | undefined> {
	const { POST, webhooks, default: main, WebhooksController } = module;
	if (address !== undefined) return forwardTo(address);
	if (POST !== undefined) return POST;
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
	// It is told of what is refused, and need not show it.
	console.error = () => undefined;
	const refused = await receive(createWebhookRequest("status", {}, { secret: "another-secret" }));
	assert.equal(refused.status, 401);
}

/** As the gateway does, for a receiver whose store is not yet connected; the test ends what takes too long. */
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
