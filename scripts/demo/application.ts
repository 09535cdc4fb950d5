import { fileURLToPath } from "node:url";
import type { MessagingGateway } from "messaging-gateway";
import { attachmentFromFile } from "messaging-gateway/node";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { serve } from "../../test/support/serve.ts";
import { LINES, type Pause } from "./conversation.ts";

const PICTURE = fileURLToPath(new URL("bicycle.png", import.meta.url));
const OLD_PATH = "/webhooks";
const STATUS_PATH = "/webhooks/status";
const NEW_PATH = "/webhooks/inbound";

/** A seller's application, which answers a buyer. Its webhook route can move, as routes do. */
export async function startApplication(gateway: MessagingGateway, secret: string, pause: Pause) {
	const { messages, settings } = gateway;
	const { promise: whenDone, resolve: done } = Promise.withResolvers<void>();
	const answers: Readonly<Record<string, (to: string) => Promise<unknown>>> = {
		async [LINES.question](to) {
			await messages.markRead({ to });
			await messages.startTyping({ to });
			await pause(0.7);
			await messages.sendText({ to, text: LINES.answer });
			const picture = await attachmentFromFile(PICTURE);
			await messages.sendAttachments({ to, attachments: [picture] });
		},
		async [LINES.offer](to) {
			await messages.sendText({ to, text: LINES.end });
			done();
		},
	};
	const webhooks = createWebhookHandler({
		secret,
		store: memoryStore(),
		on: {
			inbound_message: ({ data }) => answers[data.text]?.(data.from),
			inbound_reaction: () => undefined,
			status: () => undefined,
			unknown({ reason }) {
				throw new Error(`the demo sends no such event: ${reason}`);
			},
		},
		onError: (_, { line, thrown }) => console.error(line, ...thrown),
	});
	const receive = toNode(webhooks);
	let path = OLD_PATH;
	const server = await serve((request, response) => {
		if (request.url === path || request.url === STATUS_PATH) void receive(request, response);
		else response.writeHead(308, { Location: path }).end();
	});
	await settings.setWebhooks({
		inboundWebhookUrl: server.url + OLD_PATH,
		statusWebhookUrl: server.url + STATUS_PATH,
	});
	return {
		/** Resolves once the buyer has the last answer. */
		whenDone,
		moveRoute() {
			path = NEW_PATH;
		},
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}
