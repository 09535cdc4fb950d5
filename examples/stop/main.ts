/**
 * Sends nothing to a contact who wrote STOP, until START: kept in PostgreSQL, and asked before a bot and before each send, also by
 * campaign.ts. Reads PORT, PUBLIC_URL, DATABASE_URL, MESSAGING_GATEWAY_DIGEST_SECRET and the variables of the client and the
 * webhooks from the environment.
 */
import { createServer } from "node:http";
import { observeSend } from "messaging-gateway/sends";
import { postgresStore } from "messaging-gateway/stores/postgres";
import {
	createWebhookHandler,
	type InboundMessageEvent,
	type InboundReactionEvent,
} from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { isForBot, pool, sends, sendUnlessStopped, storePool } from "./consent.ts";

const webhooks = createWebhookHandler({
	store: postgresStore(storePool, { createIfMissing: true }),
	on: {
		inbound_message: async (event) => {
			if (await isForBot(event)) await answer(event, `You said: ${event.data.text}`);
		},
		inbound_reaction: async (event) => {
			if (await isForBot(event)) await answer(event, `You reacted: ${event.data.reaction}`);
		},
		status: (event) => observeSend(sends, event),
		// What nobody can read is kept. If this fails, the event is not acknowledged.
		unknown: (event, { readBody }) =>
			pool.query("INSERT INTO unknown_events VALUES ($1, $2) ON CONFLICT DO NOTHING", [
				event.eventId,
				readBody(),
			]),
	},
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

/** Stands for a bot. */
async function answer(
	{ eventId, data }: InboundMessageEvent | InboundReactionEvent,
	text: string,
): Promise<void> {
	const target = data.groupId === null ? { to: data.from } : { groupId: data.groupId };
	await sendUnlessStopped(`answer-${eventId}`, { ...target, text }, [data.from, ...data.participants]);
}

const port = Number(process.env["PORT"] ?? 3000);
const server = createServer(toNode(webhooks)).listen(port, () => console.log(`listening on port ${port}`));

process.once("SIGTERM", () => {
	// Open deliveries get their response first.
	server.close(() => Promise.all([pool.end(), storePool.end()]));
});
