/** The app: main.ts gives it the real gateway and database, app.test.ts local ones. */
import express, { type Express } from "express";
import { CallError, InputError, type MessagingGateway } from "messaging-gateway";
import { postgresInbox } from "messaging-gateway/stores/postgres";
import { createWebhookHandler, type WebhookHandlerOptions } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import type { ClientBase, Pool } from "pg";

interface Dependencies extends Pick<WebhookHandlerOptions, "secret" | "clock"> {
	gateway: MessagingGateway;
	/** The inbox's own pool: with the pool of other work, deliveries could wait for each other. */
	pool: Pool;
}

export function createApp({ gateway, pool, ...webhookOptions }: Dependencies): Express {
	const webhooks = createWebhookHandler({
		...webhookOptions,
		// Your writes and the record of the event commit together.
		inbox: postgresInbox(pool, { createIfMissing: true }),
		on: {
			inbound_message: ({ data }, { transaction }) => storeReply(transaction, data.from, data.text),
			// Throw or keep it: an event that returns here is done.
			unknown: ({ eventId }, { transaction, readBody }) =>
				transaction.query("INSERT INTO unknown_events VALUES ($1, $2)", [eventId, readBody()]),
		},
		onError: (_, { line, thrown }) => console.error(line, ...thrown),
	});

	const app = express();
	app.all("/webhooks", toExpress(webhooks)); // Above express.json(), which would read the body first.
	app.use(express.json());
	app.post("/texts", async (request, response) => {
		const { to, text } = request.body;
		try {
			const { message } = await gateway.messages.sendText({ to, text });
			response.status(202).json({ messageId: message.messageId });
		} catch (error) {
			if (error instanceof InputError) return void response.status(400).json({ error: error.message });
			if (!(error instanceof CallError)) throw error;
			// With the outcome "unknown" the text may have gone out: sending it again may deliver it twice.
			response.status(502).json({ outcome: error.outcome, code: error.code });
		}
	});
	return app;
}

export async function createTables(pool: Pool): Promise<void> {
	await pool.query(`CREATE TABLE IF NOT EXISTS replies (contact text NOT NULL, text text NOT NULL);
		CREATE TABLE IF NOT EXISTS unknown_events (event_id text NOT NULL, raw_body text NOT NULL)`);
}

async function storeReply(transaction: ClientBase, contact: string, text: string): Promise<void> {
	// PostgreSQL rejects U+0000, which a text may hold.
	await transaction.query("INSERT INTO replies VALUES ($1, $2)", [contact, text.replaceAll("\0", "\uFFFD")]);
}
