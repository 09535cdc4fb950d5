/**
 * Receives webhooks in the App Router of Next.js, and prints each event once. The secret is read from
 * MESSAGING_GATEWAY_WEBHOOK_SECRET, at the first delivery.
 */
import { appendFile } from "node:fs/promises";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";

const webhooks = createWebhookHandler({
	store: memoryStore(),
	on: {
		inbound_message: ({ data }) => console.log(`a text of ${data.text.length} characters`),
		inbound_reaction: ({ data }) => console.log(`a reaction: ${data.reaction}`),
		status: ({ data }) => console.log(`${data.messageId} is ${data.status}`),
		// If this fails, the event is not acknowledged. On Vercel, which has no disk to keep it on, use a table.
		unknown: ({ eventId }, { readBody }) =>
			appendFile("unknown-events.jsonl", `${JSON.stringify({ eventId, rawBody: readBody() })}\n`, {
				mode: 0o600,
			}),
	},
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

export const POST = webhooks.fetch;
export const PUT = webhooks.fetch; // The specification shows no method.
