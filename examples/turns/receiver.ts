/**
 * Replies once to a contact who types three lines: receiver.ts stores each line, and worker.ts replies when the conversation has
 * been quiet for QUIET_SECONDS. Reads PORT, DATABASE_URL and MESSAGING_GATEWAY_WEBHOOK_SECRET from the environment.
 */
import express from "express";
import {
	conversationOf,
	createWebhookHandler,
	type InboundMessageEvent,
	memoryStore,
} from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { connect, inTransaction, pool, TURNS, within } from "./database.ts";

const quietSeconds = Number(process.env["QUIET_SECONDS"] ?? 2);
const boss = await connect({ supervise: false, schedule: false });

const webhooks = createWebhookHandler({
	store: memoryStore(), // The table recognises a repeat by the event's id.
	enqueue: async (event, { readBody }) => {
		if (event.kind === "inbound_message") await storeLine(event);
		else if (event.kind === "unknown") await keepUnknown(event.eventId, readBody());
	},
	maxHandlerMs: 5_000, // A database that hangs is not acknowledged.
	// Only the stack: other fields of an error of PostgreSQL may contain the payload.
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

/** Keeps an event that is not as documented. If this fails, it is not acknowledged. */
async function keepUnknown(eventId: string, rawBody: string): Promise<void> {
	await pool.query("INSERT INTO unknown_events VALUES ($1, $2) ON CONFLICT DO NOTHING", [eventId, rawBody]);
}

/** Stores the line, and lets the turn of its conversation wait again: both or neither. */
function storeLine(event: InboundMessageEvent): Promise<void> {
	const conversation = conversationOf(event) ?? event.data.from;
	return inTransaction(async (client) => {
		const { rowCount } = await client.query(
			"INSERT INTO lines (event_id, conversation, sent_at, event) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
			[event.eventId, conversation, event.data.timestamp_ms, JSON.stringify(event)],
		);
		if (rowCount === 0) return; // a repeat
		// Moves the turn that waits; if there is none, or it has begun, there will be another one.
		const options = { singletonKey: conversation, startAfter: quietSeconds, db: within(client) };
		await boss.upsert(TURNS, { conversation }, options);
	});
}

const app = express();
app.all("/webhooks", toExpress(webhooks));

const port = Number(process.env["PORT"] ?? 3000);
const server = app.listen(port, (error) => {
	if (error) throw error;
	console.log(`listening on port ${port}`);
});

process.once("SIGTERM", () => {
	// Open deliveries get their response first.
	server.close(async () => {
		await boss.stop();
		await pool.end();
	});
});
