import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import { createWebhookHandler, memoryStore, type WebhookHandlerOptions } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { type RunningServer, serve } from "../../support/serve.ts";
import { createCertificate } from "./certificate.ts";

/** A receiver that always responds the same. */
export function respond(
	status: number,
	headers: Readonly<Record<string, string>> = {},
	body = "",
): RequestListener {
	return (request, response) => {
		request.resume();
		response.writeHead(status, headers).end(body);
	};
}

/** Receivers that never end their response: after its headers, and within an endless body. */
export const ENDLESS: Readonly<Record<string, RequestListener>> = {
	"nothing after the headers": (_, response) => response.flushHeaders(),
	"a body without an end": (_, response) => {
		const write = (): void => {
			while (response.write("and so on ".repeat(1_000)));
		};
		response.on("drain", write);
		write();
	},
};

/** A receiver of this package, which accepts every event. */
export function receive(secret: string, changes: Partial<WebhookHandlerOptions> = {}): RequestListener {
	return toNode(
		createWebhookHandler({
			secret,
			store: memoryStore(),
			onError: () => {},
			on: { inbound_message: () => {}, unknown: () => {} },
			...changes,
		} as WebhookHandlerOptions),
	);
}

/** A server with a webhook handler that can be broken, which another path replaces. */
export interface BreakableReceiver extends RunningServer {
	/** What it does at `/webhooks`. At `/right` it accepts, and `/moved` leads there. */
	listener: RequestListener;
}

export async function serveBreakable(): Promise<BreakableReceiver> {
	const server = await serve((request, response) => {
		if (request.url === "/webhooks") return receiver.listener(request, response);
		if (request.url === "/moved") return respond(308, { Location: "/right" })(request, response);
		return respond(request.url === "/right" ? 200 : 404)(request, response);
	});
	const receiver: BreakableReceiver = { ...server, listener: respond(200) };
	return receiver;
}

/** A server over TLS whose certificate nobody trusts. */
export async function serveUntrusted(listener: RequestListener): Promise<RunningServer> {
	const server = createSecureServer(createCertificate(["127.0.0.1"]), listener);
	return started("https", server);
}

/** A server that does not speak HTTP. */
export async function serveNoHttp(): Promise<RunningServer> {
	return started(
		"http",
		createServer((socket) => void socket.on("error", () => undefined).end("SSH-2.0-test\r\n")),
	);
}

async function started(scheme: string, server: Server): Promise<RunningServer> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async [Symbol.asyncDispose]() {
			server.close();
		},
	};
}
