import { sqliteStore } from "messaging-gateway/stores/sqlite";
import { createWebhookHandler } from "messaging-gateway/webhooks";

using store = sqliteStore({ path: ":memory:" });

export const webhooks = createWebhookHandler({
	store,
	on: { status: () => undefined, unknown: () => undefined },
});
