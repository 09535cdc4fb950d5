/**
 * Sends a notice for each order once: receiver.ts commits the order, its intent and a job of pg-boss together, and worker.ts
 * sends. Reads PORT, PUBLIC_URL, DATABASE_URL, MESSAGING_GATEWAY_DIGEST_SECRET and the variables of the client from the
 * environment.
 */
import express from "express";
import { observeSend } from "messaging-gateway/sends";
import { createWebhookHandler, memoryStore, type WebhookEvent } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { connect, QUEUE } from "./queue.ts";
import { closePools, inTransaction, pool, sender, store } from "./sender.ts";

const boss = await connect({ supervise: false, schedule: false });

/** What the shop writes, the intent and the job: all of them or none. */
async function ship(order: string, phone: string): Promise<void> {
	const key = `order-${encodeURIComponent(order)}-shipped`;
	const text = `Order ${order} is on its way.`;
	await inTransaction(async (client) => {
		await client.query("INSERT INTO notices VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [key, phone, text]);
		await sender.prepare(key, { to: phone, text }, { store: store.inTransaction(client) });
		const db = { executeSql: (sql: string, values?: unknown[]) => client.query(sql, values) };
		await boss.send(QUEUE, { key }, { singletonKey: key, db });
	});
}

const webhooks = createWebhookHandler({
	store: memoryStore(), // An event that is observed twice changes nothing.
	on: {
		status: observe,
		// What no send is found for is kept. If this fails, the event is not acknowledged.
		unknown: async (event, { readBody }) => {
			if (await observe(event)) return;
			const insert = "INSERT INTO unknown_events VALUES ($1, $2) ON CONFLICT DO NOTHING";
			await pool.query(insert, [event.eventId, readBody()]);
		},
	},
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

/**
 * A status proves that the message was accepted, also if its worker died before it got the response.
 * @returns whether the event belongs to a send.
 */
async function observe(event: WebhookEvent): Promise<boolean> {
	const send = await observeSend(store, event);
	if (send?.verdict.status === "accepted") console.log(`${send.key}: has a status`);
	// Your own handling of statuses goes here: these events no longer go to `statusWebhookUrl`.
	return send !== undefined;
}

const app = express();
app.use("/webhooks", toExpress(webhooks));
app.post("/orders", express.json(), async (request, response) => {
	await ship(String(request.body.order), String(request.body.phone));
	response.sendStatus(202);
});

const port = Number(process.env["PORT"] ?? 3000);
const server = app.listen(port, (error) => {
	if (error) throw error;
	console.log(`listening on port ${port}`);
});

process.once("SIGTERM", () => {
	// Open deliveries get their response first.
	server.close(async () => {
		await boss.stop();
		await closePools();
	});
});
