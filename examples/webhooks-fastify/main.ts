/** Receives webhooks with Fastify, and prints each event once. Reads PORT and MESSAGING_GATEWAY_WEBHOOK_SECRET from the environment. */
import { appendFile } from "node:fs/promises";
import fastify from "fastify";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toFastify } from "messaging-gateway/webhooks/fastify";

const webhooks = createWebhookHandler({
	store: memoryStore(),
	on: {
		inbound_message: ({ data }) => console.log(`a text of ${data.text.length} characters`),
		inbound_reaction: ({ data }) => console.log(`a reaction: ${data.reaction}`),
		status: ({ data }) => console.log(`${data.messageId} is ${data.status}`),
		// If this fails, the event is not acknowledged.
		unknown: ({ eventId }, { readBody }) =>
			appendFile("unknown-events.jsonl", `${JSON.stringify({ eventId, rawBody: readBody() })}\n`, {
				mode: 0o600,
			}),
	},
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

const app = fastify();
app.register(toFastify(webhooks), { prefix: "/webhooks" });

const port = Number(process.env["PORT"] ?? 3000);
await app.listen({ port });
console.log(`listening on port ${port}`);
