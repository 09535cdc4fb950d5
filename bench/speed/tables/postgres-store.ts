import { setTimeout } from "node:timers/promises";
import { postgresStore } from "messaging-gateway/stores/postgres";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { Client, Pool } from "pg";
import { startPostgres } from "../../../test/support/servers/postgres-server.ts";
import { newEventId } from "../../stores/keys.ts";
import { prove } from "../prove.ts";
import type { CaseRecord } from "../record.ts";
import type { SpeedTable } from "../table.ts";

/** The secret of {@link createWebhookRequest}. */
const SECRET = "local-webhook-secret";

const DELIVERIES = 5_000;
const IN_FLIGHT = 16;

/** How many of the updates of finished events write to the table's indexes: those that are not heap-only (HOT). */
export const table: SpeedTable = {
	title: "Updates in PostgreSQL that write to indexes",
	unit: "percent",
	shows: "cost",
	async *openCases(atEnd): AsyncIterable<CaseRecord> {
		const server = await startPostgres();
		atEnd(() => server[Symbol.asyncDispose]());
		await deliver(server.url);
		let { updates, heapOnly } = await readUpdates(server.url);
		// The server's processes end, and report, after their connections.
		for (let waits = 0; updates < DELIVERIES && waits < 100; waits++) {
			await setTimeout(100);
			({ updates, heapOnly } = await readUpdates(server.url));
		}
		prove(updates === DELIVERIES, `PostgreSQL counted one update for each delivery, but ${updates}`);
		const percent = ((updates - heapOnly) / updates) * 100;
		yield {
			name: `${DELIVERIES.toLocaleString("en")} deliveries`,
			contenders: [{ name: "postgresStore", role: "ours", costs: [percent] }],
		};
	},
};

/** Delivers new events to a webhook handler, several at a time. */
async function deliver(url: string): Promise<void> {
	const pool = new Pool({ connectionString: url });
	const store = postgresStore(pool);
	await store.createTable();
	const on = { inbound_message: () => undefined, unknown: () => undefined };
	const webhooks = createWebhookHandler({ secret: SECRET, store, on });
	let left = DELIVERIES;
	async function deliverRest(): Promise<void> {
		while (left-- > 0) {
			const eventId = newEventId();
			const request = createWebhookRequest("inbound_message", { text: eventId }, { eventId });
			const { status } = await webhooks.fetch(request);
			if (status !== 200) throw new Error(`a new delivery got ${status}`);
		}
	}
	await Promise.all(Array.from({ length: IN_FLIGHT }, deliverRest));
	// The process of a connection that ends reports what it has counted.
	await pool.end();
}

async function readUpdates(url: string): Promise<{ updates: number; heapOnly: number }> {
	const client = new Client({ connectionString: url });
	await client.connect();
	const { rows } = await client.query<Record<"n_tup_upd" | "n_tup_hot_upd", string>>(
		"SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'messaging_gateway_records'",
	);
	await client.end();
	return { updates: Number(rows[0]?.n_tup_upd), heapOnly: Number(rows[0]?.n_tup_hot_upd) };
}
