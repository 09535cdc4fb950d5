import {
	type SqliteClient,
	type SqliteClientSendStore,
	sqliteClientSendStore,
	sqliteClientStore,
	sqliteSendTable,
	sqliteTable,
} from "messaging-gateway/stores/sqlite-client";
import { createWebhookHandler } from "messaging-gateway/webhooks";

const client: SqliteClient = { query: async () => [] };
const store = sqliteClientStore(client, { table: "records" });
await store.createTable();

export const migration: string = sqliteTable("records") + sqliteSendTable();
export const sends: SqliteClientSendStore = sqliteClientSendStore(client);
export const webhooks = createWebhookHandler({
	store,
	on: { status: () => undefined, unknown: () => undefined },
});
