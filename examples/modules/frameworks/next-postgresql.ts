/** The route of webhooks in Next.js on Vercel: all instances share a table of PostgreSQL. */
// app/webhooks/route.ts
import { postgresStore } from "messaging-gateway/stores/postgres";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { Pool } from "pg";

const openPool = () => {
	const connectionString = process.env.DATABASE_URL;
	const pool = new Pool({ connectionString, max: 5, connectionTimeoutMillis: 2_000, query_timeout: 4_000 });
	return pool.on("error", (error) => console.error(error.message)); // without it a lost connection ends the process
};
const pool = openPool();

const webhooks = createWebhookHandler({
	store: postgresStore(openPool(), { createIfMissing: true }), // a pool of its own, for heartbeats
	on: {
		inbound_message: ({ data }) => console.log(`a text of ${data.text.length} characters`),
		unknown: async ({ eventId }, { readBody }) => {
			await pool.query(
				"CREATE TABLE IF NOT EXISTS unknown_events (event_id text PRIMARY KEY, raw_body text)",
			);
			await pool.query("INSERT INTO unknown_events VALUES ($1, $2) ON CONFLICT DO NOTHING", [
				eventId,
				readBody(),
			]);
		},
	},
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

export const POST = webhooks.fetch;
export const PUT = webhooks.fetch; // in case your gateway delivers with PUT
