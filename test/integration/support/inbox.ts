import { postgresInbox } from "messaging-gateway/stores/postgres";
import { createWebhookRequest } from "messaging-gateway/testing";
import {
	createWebhookHandler,
	type Inbox,
	type InboxContext,
	type WebhookErrorContext,
	type WebhookEvent,
	type WebhookHandlerSettings,
} from "messaging-gateway/webhooks";
import pg from "pg";

/** What a test's handler does in the transaction. */
export type InboxWork<Transaction> = (event: WebhookEvent, context: InboxContext<Transaction>) => unknown;

/** A receiver on an inbox. */
export interface InboxReceiver {
	/** Delivers an event. @returns the response in one line. */
	deliver(eventId: string): Promise<string>;
	/** Sends a signed request. @returns the response in one line. */
	send(request: Request): Promise<string>;
	/** What `onError` got. */
	readonly reports: { readonly message: string; readonly hint: string }[];
}

/** Makes a receiver whose work a test gives. */
export function createInboxReceiver<Transaction>(
	inbox: Inbox<Transaction>,
	work: InboxWork<Transaction>,
	settings: WebhookHandlerSettings = {},
): InboxReceiver {
	const reports: InboxReceiver["reports"] = [];
	const webhooks = createWebhookHandler({
		secret: "local-webhook-secret",
		inbox,
		on: { inbound_message: work, unknown: () => undefined },
		onError: (error: unknown, { hint }: WebhookErrorContext) => {
			reports.push({ message: String(error), hint });
		},
		...settings,
	});
	const send = async (request: Request): Promise<string> => {
		const response = await webhooks.fetch(request);
		return `${response.status} ${await response.text()}`.trim();
	};
	return {
		reports,
		send,
		deliver: (eventId) =>
			send(createWebhookRequest("inbound_message", { text: `a text of ${eventId}` }, { eventId })),
	};
}

/** A pool whose statements a test can watch and change. */
export class WatchedPool extends pg.Pool {
	/** Called before each statement of a client; what it returns is run instead. */
	beforeEach: (text: string, client: pg.PoolClient) => string | Promise<string> = (text) => text;

	constructor(url: string, config: pg.PoolConfig = {}) {
		super({ connectionString: url, ...config });
		this.on("error", () => undefined);
		this.on("connect", (client) => {
			const query = client.query.bind(client);
			// The pool's own `query` passes a callback; libraries pass objects.
			const watched = (...given: Parameters<typeof query>) => {
				const [text, values] = given as unknown[];
				if (typeof text !== "string" || given.length > 2) return query(...given);
				return (async () => query(await this.beforeEach(text, client), values as unknown[]))();
			};
			Object.assign(client, { query: watched });
		});
	}
}

/** Creates the tables of a test: the inbox's, and one whose rows are counted. */
export async function createInboxTables(pool: pg.Pool): Promise<void> {
	await postgresInbox(pool).createTable();
	await pool.query("CREATE TABLE IF NOT EXISTS effects (event_id text NOT NULL)");
}

/** How often an event took effect. */
export async function countEffects(pool: pg.Pool, eventId: string): Promise<number> {
	const { rows } = await pool.query("SELECT count(*) FROM effects WHERE event_id = $1", [eventId]);
	return Number(rows[0]?.count);
}
