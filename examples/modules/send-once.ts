/**
 * Sends a message that must not arrive twice, from the processes of one machine. `await sender.send("order-1042-shipped", { to, text })`
 * has one of four ends:
 *
 * - `accepted`: a further call with the key returns it again, and sends nothing.
 * - `unresolved`: it may have been accepted. A further call sends nothing. A status may still prove it; otherwise you decide.
 * - It throws an error with `not_sent` or `rejected`: that is certain, so a later call tries again.
 * - It throws a `SendError`: another process is sending it, or the key was used for another input.
 *
 * A later `DuplicateMessageError`, the mapping and the conversation prove nothing.
 */
import { appendFile } from "node:fs/promises";
import { MessagingGateway } from "messaging-gateway";
import { createSender, observeSend } from "messaging-gateway/sends";
import { sqliteSendStore } from "messaging-gateway/stores/sqlite";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";

const publicUrl = process.env["PUBLIC_URL"] ?? "https://app.example";

export const store = sqliteSendStore({ path: "./sends.db" });

// It reads MESSAGING_GATEWAY_DIGEST_SECRET.
export const sender = createSender({
	gateway: new MessagingGateway(),
	store,
	statusCallback: (token) => `${publicUrl}/webhooks?send=${token}`,
});

/** For the statuses of what the sender sends: each of them proves that its message was accepted. */
export const webhooks = createWebhookHandler({
	store: memoryStore(),
	on: {
		status: (event) => observeSend(store, event),
		unknown: async (event, { readBody }) =>
			(await observeSend(store, event)) ??
			appendFile(
				"unknown-events.jsonl",
				`${JSON.stringify({ eventId: event.eventId, rawBody: readBody() })}\n`,
				{ mode: 0o600 },
			),
	},
});
