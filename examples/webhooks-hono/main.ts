/** Receives webhooks with Hono, and prints each event once. Reads PORT and MESSAGING_GATEWAY_WEBHOOK_SECRET from the environment. */
import { appendFile } from "node:fs/promises";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toHono } from "messaging-gateway/webhooks/hono";

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

const app = new Hono();
app.all("/webhooks", toHono(webhooks));

serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000) }, ({ port }) =>
	console.log(`listening on port ${port}`),
);
