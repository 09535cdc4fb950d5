/**
 * A bot on Vercel's Chat SDK that loses nothing: receiver.ts adds each event to a queue in PostgreSQL, and worker.ts runs the bot.
 * Reads PORT, DATABASE_URL and MESSAGING_GATEWAY_WEBHOOK_SECRET from the environment.
 */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { add, connect, QUEUE } from "./queue.ts";

const boss = await connect({ supervise: false, schedule: false });

// A receiver of its own needs no Chat SDK. In one program with the bot these are `webhooks` of createGatewayAdapter.
const webhooks = createWebhookHandler({
	store: memoryStore(), // The queue recognises a repeat by the job's id.
	enqueue: (event) => add(boss, QUEUE, event, toJobId(event.eventId)),
	maxHandlerMs: 5_000, // A database that hangs is not acknowledged.
	// Only the stack: other fields of an error of PostgreSQL may contain the payload.
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

function toJobId(eventId: string): string {
	const hex = createHash("sha256").update(eventId).digest("hex");
	return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const port = Number(process.env["PORT"] ?? 3000);
const server = createServer(toNode(webhooks)).listen(port, () => console.log(`listening on port ${port}`));

process.once("SIGTERM", () => {
	// Open deliveries get their response first.
	server.close(() => boss.stop());
});
