import { MessagingGateway } from "messaging-gateway";
import {
	createSender,
	listSends,
	memorySendStore,
	observeSend,
	type SendResult,
} from "messaging-gateway/sends";
import { postgresSendStore } from "messaging-gateway/stores/postgres";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import pg from "pg";

const pool = new pg.Pool();
const outbox = postgresSendStore(pool);
const store = memorySendStore();
const sender = createSender({
	gateway: new MessagingGateway(),
	store,
	digestSecret: "secret",
});

export const webhooks = createWebhookHandler({
	store: memoryStore(),
	on: {
		status: async (event) => console.log((await observeSend(store, event))?.key),
		unknown: async (event) => console.log((await observeSend(store, event))?.verdict.status),
	},
});

export async function send(): Promise<string | undefined> {
	const client = await pool.connect();
	await sender.prepare("key", { to: "+15551234567", text: "Hello" }, { store: outbox.inTransaction(client) });
	const result: SendResult = await sender.send("key", { to: "+15551234567", text: "Hello" });
	for await (const { key, verdict } of listSends(store, { status: "unresolved" }))
		console.log(key, verdict.status);
	return result.status === "accepted" ? result.messageId : undefined;
}
