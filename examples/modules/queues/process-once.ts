/**
 * Processes each event of a queue once: its id and the work are one transaction of PostgreSQL. The modules beside it share it. It needs
 * `CREATE TABLE processed_events (event_id text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())`.
 */
import { createHash } from "node:crypto";
import { conversationOf, type WebhookEvent } from "messaging-gateway/webhooks";
import { Pool, type PoolClient } from "pg";

const pool = new Pool({
	connectionString: process.env.DATABASE_URL,
	connectionTimeoutMillis: 2_000,
	query_timeout: 4_000,
});
pool.on("error", (error) => console.error(error.message));
pool.on("connect", (client) => client.on("error", () => undefined)); // a lost connection must not end the process

/** Does the work and notes the event's id in one transaction: a repeat changes nothing. */
export async function processOnce(
	event: WebhookEvent,
	work: (event: WebhookEvent, client: PoolClient) => Promise<void>,
): Promise<void> {
	const client = await pool.connect();
	try {
		await client.query("BEGIN");
		const note = "INSERT INTO processed_events (event_id) VALUES ($1) ON CONFLICT DO NOTHING";
		const { rowCount } = await client.query(note, [event.eventId]);
		if (rowCount === 1) await work(event, client);
		const { command } = await client.query("COMMIT");
		if (command !== "COMMIT") throw new Error("rolled back: the work ignored an error of the database");
		client.release();
	} catch (error) {
		client.release(true); // closing the connection rolls back
		throw error;
	}
}

/** Five attempts, ten seconds together: a broker would give the next event of the conversation out meanwhile. */
export async function retry(attempt: () => Promise<void>, afterWait = async () => {}): Promise<void> {
	for (let count = 1; count < 5; count++) {
		try {
			return await attempt();
		} catch {
			await new Promise((resolve) => setTimeout(resolve, 1_000 * count));
			await afterWait();
		}
	}
	await attempt();
}

/** The same key for every event of a conversation, and another one for each event without a conversation. */
export function orderingKey(event: WebhookEvent): string {
	return conversationOf(event) ?? digest(event.eventId);
}

/** 64 characters that every broker accepts in a key. */
export function digest(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

/** One of a fixed number of shards, for brokers without keys. */
export function shardOf(event: WebhookEvent, shards: number): number {
	return Number.parseInt(digest(orderingKey(event)).slice(0, 8), 16) % shards;
}

export async function work(event: WebhookEvent, client: PoolClient): Promise<void> {
	await client.query("INSERT INTO notes (kind) VALUES ($1)", [event.kind]); // your work, through this client
}
