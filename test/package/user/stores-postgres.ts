import { postgresStore, postgresTable } from "messaging-gateway/stores/postgres";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import pg from "pg";

const store = postgresStore(new pg.Pool(), { table: "app.records" });
await store.createTable();

export const migration: string = postgresTable();
export const webhooks = createWebhookHandler({
	store,
	on: { status: () => undefined, unknown: () => undefined },
});
