/**
 * Receives webhooks in a Cloudflare Worker, with their records in D1, and replies to questions about an order. Its bindings
 * are those of wrangler.jsonc, and the secrets MESSAGING_GATEWAY_APP_SECRET and MESSAGING_GATEWAY_WEBHOOK_SECRET
 * (`wrangler secret put`). `wrangler deploy` creates the database, and the Worker its table.
 */
import { isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import { sqliteClientStore } from "messaging-gateway/stores/sqlite-client";
import {
	createWebhookHandler,
	type InboundMessage,
	PermanentWebhookError,
	type WebhookHandler,
} from "messaging-gateway/webhooks";

/** What is used of D1; `wrangler types` writes all of it. */
interface Database {
	prepare(sql: string): {
		bind(...values: (string | number)[]): { all(): Promise<{ results: Record<string, unknown>[] }> };
	};
}

interface Bindings {
	DB: Database;
	MESSAGING_GATEWAY_BASE_URL: string;
	MESSAGING_GATEWAY_APP_ID: string;
	MESSAGING_GATEWAY_APP_SECRET: string;
	MESSAGING_GATEWAY_WEBHOOK_SECRET: string;
}

let webhooks: WebhookHandler | undefined;

export default {
	async fetch(request: Request, bindings: Bindings): Promise<Response> {
		if (new URL(request.url).pathname !== "/webhooks") return new Response("not found", { status: 404 });
		// No promise is kept: a request must not wait for what another one has started.
		webhooks ??= await createReceiver(bindings);
		return webhooks.fetch(request);
	},
};

async function createReceiver(bindings: Bindings): Promise<WebhookHandler> {
	const store = sqliteClientStore(
		{
			query: async (sql, values) =>
				(
					await bindings.DB.prepare(sql)
						.bind(...values)
						.all()
				).results,
		},
		{ createIfMissing: true },
	);
	const { DB } = bindings;
	await DB.prepare(
		"CREATE TABLE IF NOT EXISTS unknown_events (event_id TEXT PRIMARY KEY, raw_body TEXT NOT NULL)",
	)
		.bind()
		.all();
	const gateway = new MessagingGateway({
		baseUrl: bindings.MESSAGING_GATEWAY_BASE_URL,
		appId: bindings.MESSAGING_GATEWAY_APP_ID,
		appSecret: bindings.MESSAGING_GATEWAY_APP_SECRET,
	});
	return createWebhookHandler({
		secret: bindings.MESSAGING_GATEWAY_WEBHOOK_SECRET,
		store,
		on: {
			inbound_message: ({ eventId, data }, { signal }) => reply(gateway, { eventId, data, signal }),
			unknown: async ({ eventId, narrowed }, { readBody, signal }) => {
				// If this fails, the event is not acknowledged.
				await DB.prepare("INSERT INTO unknown_events VALUES (?, ?) ON CONFLICT DO NOTHING")
					.bind(eventId, readBody())
					.all();
				if (narrowed?.kind === "inbound_message")
					await reply(gateway, { eventId, data: narrowed.data, signal });
			},
		},
		onError: (_, { line, thrown }) => console.error(line, ...thrown),
	});
}

interface Received {
	eventId: string;
	/** A message that is not as documented lacks the fields that are not, and is kept. */
	data: Partial<InboundMessage>;
	signal: AbortSignal;
}

async function reply(gateway: MessagingGateway, { eventId, data, signal }: Received): Promise<void> {
	const { text, from, groupId } = data;
	if (text === undefined || from === undefined || groupId === undefined) return;
	// Only a question about an order: two bots that reply to every text would never stop.
	const order = /\border (\d+)/i.exec(text)?.[1];
	if (order === undefined) return;
	const target = groupId === null ? { to: from } : { groupId };
	try {
		await gateway.messages.sendText({ ...target, text: `Order ${order} arrives tomorrow.` }, { signal });
		console.log(`${eventId}: replied`);
	} catch (error) {
		// Another run could reply twice, so a person decides. A reply that certainly was not sent is left to another run.
		if (mayBeSent(error)) throw new PermanentWebhookError("the reply may have been sent", { cause: error });
		throw error;
	}
}

function mayBeSent(error: unknown): boolean {
	if (!isMessagingGatewayError(error) || !("outcome" in error)) return false;
	return error.outcome === "unknown" || error.outcome === "accepted";
}
