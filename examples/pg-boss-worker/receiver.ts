/**
 * Adds each event to a queue in PostgreSQL, and then responds with 200; worker.ts processes it, in order within a
 * conversation. Reads PORT, DATABASE_URL and MESSAGING_GATEWAY_WEBHOOK_SECRET from the environment.
 */
import express from "express";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { add, connect, QUEUE, toJobId } from "./queue.ts";

const boss = await connect({ supervise: false, schedule: false });

const webhooks = createWebhookHandler({
	// The queue recognises a repeat by the job's id, for as long as it keeps the job, so no shared store is needed.
	store: memoryStore(),
	enqueue: async (event, { readBody }) => {
		// Kept as it was sent: the worker only prints what is not as documented.
		if (event.kind === "unknown") await keepUnknown(event.eventId, readBody());
		return add(boss, QUEUE, event, toJobId(event.eventId));
	},
	maxHandlerMs: 5_000, // A database that hangs is not acknowledged.
	// Only the stack: other fields of an error of PostgreSQL may contain the payload.
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

async function keepUnknown(eventId: string, rawBody: string): Promise<void> {
	const insert = "INSERT INTO unknown_events VALUES ($1, $2) ON CONFLICT DO NOTHING";
	await boss.getDb().executeSql(insert, [eventId, rawBody]);
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
	server.close(() => boss.stop());
});
