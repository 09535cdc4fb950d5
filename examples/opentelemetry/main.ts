/**
 * Traces a send that is retried once, and an event whose handler replies, and prints the spans. It starts a local
 * gateway, unless MESSAGING_GATEWAY_BASE_URL names one: then it traces only the send.
 */
import { appendFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MessagingGateway } from "messaging-gateway";
import { traceCalls, traceEvents } from "messaging-gateway/opentelemetry";
import { createLocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { registerSdk } from "./sdk.ts";
import { drawSpans } from "./span-tree.ts";

const ALICE = "+15551234567";

const exporter = registerSdk();

if (process.env["MESSAGING_GATEWAY_BASE_URL"] === undefined) await traceLocally();
else await send(new MessagingGateway({ hooks: traceCalls() }));

console.log(drawSpans(exporter.getFinishedSpans()).join("\n"));

async function traceLocally(): Promise<void> {
	const local = createLocalGateway();
	const server = await listen(local);
	const gateway = new MessagingGateway({ ...server.clientOptions, hooks: traceCalls() });
	const webhooks = createWebhookHandler({
		secret: local.webhookSecret,
		store: memoryStore(),
		on: {
			inbound_message: async () => {
				await gateway.messages.sendText({ to: ALICE, text: "Thank you!" });
			},
			// If this fails, the event is not acknowledged.
			unknown: ({ eventId }, { readBody }) =>
				appendFile("unknown-events.jsonl", `${JSON.stringify({ eventId, rawBody: readBody() })}\n`, {
					mode: 0o600,
				}),
		},
		hooks: traceEvents(),
	});
	const receiver = createServer(toNode(webhooks)).listen(0, "127.0.0.1");
	await new Promise((resolve) => receiver.once("listening", resolve));
	const { port } = receiver.address() as AddressInfo;

	local.faults.respond({ status: 429, times: 1 });
	await send(gateway);
	await gateway.settings.setWebhooks({ inboundWebhookUrl: `http://127.0.0.1:${port}/webhooks` });
	await local.contact(ALICE).reply("Good morning to you!");
	await local.settled();
	receiver.close();
	await server.close();
	await local.close();
}

async function send(gateway: MessagingGateway): Promise<void> {
	await gateway.messages.sendText({ to: ALICE, text: "Good morning!" });
}
