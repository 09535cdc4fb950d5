import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import type { AtEnd } from "../at-end.ts";
import { SENT_TEXT } from "./clients.ts";

/** The response body for every client: that of the local gateway to the same send. */
export async function recordResponseBody(): Promise<string> {
	const local = createLocalGateway();
	let body = "";
	const gateway = new MessagingGateway({
		...local.clientOptions,
		async fetch(url, init) {
			const response = await local.clientOptions.fetch(url, init);
			body = await response.clone().text();
			return response;
		},
	});
	await gateway.messages.sendText(SENT_TEXT);
	// Node 22 does not support `await using`.
	await local[Symbol.asyncDispose]();
	return body;
}

/**
 * Starts a server in its own process on this machine that responds to every request with the same body.
 * @returns its base address.
 */
export async function startFixedServer(body: string, atEnd: AtEnd): Promise<string> {
	const server = fork(fileURLToPath(new URL("fixed-server.ts", import.meta.url)));
	atEnd(() => server.kill());
	server.send(body);
	const [port] = await once(server, "message");
	return `http://127.0.0.1:${port}`;
}
