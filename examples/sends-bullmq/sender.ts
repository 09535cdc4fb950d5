import { isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import { createSender } from "messaging-gateway/sends";
import { postgresSendStore } from "messaging-gateway/stores/postgres";
import { Pool, type PoolClient } from "pg";

function openPool(): Pool {
	const pool = new Pool({
		connectionString: process.env["DATABASE_URL"] ?? "postgres://localhost/postgres",
		connectionTimeoutMillis: 2_000,
		query_timeout: 4_000,
	});
	pool.on("error", (error) => console.error(error.message));
	// A connection that is lost between two statements must not end the process: the next statement fails.
	pool.on("connect", (client) => client.on("error", () => undefined));
	return pool;
}

export const pool = openPool();
// A pool of its own, so a process has two: the store must not wait for statements of the application.
const storePool = openPool();

export const store = postgresSendStore(storePool);
// Before a transaction uses it: createIfMissing cannot create it there.
await store.createTable();
await pool.query(`
	SELECT pg_advisory_xact_lock(4711);
	CREATE TABLE IF NOT EXISTS notices (key text PRIMARY KEY, phone text NOT NULL, text text NOT NULL);
	CREATE TABLE IF NOT EXISTS unknown_events (event_id text PRIMARY KEY, raw_body text NOT NULL)`);

// Where the gateway reaches receiver.ts.
const publicUrl = process.env["PUBLIC_URL"] ?? `http://127.0.0.1:${process.env["PORT"] ?? 3000}`;

export const sender = createSender({
	gateway: new MessagingGateway(),
	store,
	statusCallback: (token) => `${publicUrl}/webhooks?send=${token}`,
	leaseMs: Number(process.env["LEASE_MS"] ?? 60_000),
});

/**
 * Sends a notice, unless it was sent or may have been: then its job is done, too. Throws what the queue's own back-off is for.
 * @returns the time to wait if a window, a limit or another worker's lease was in the way; its job must come back then.
 */
export async function sendNotice(key: string): Promise<number | undefined> {
	const { rows } = await pool.query("SELECT phone, text FROM notices WHERE key = $1", [key]);
	try {
		const { status } = await sender.send(key, { to: rows[0].phone, text: rows[0].text });
		console.log(`${key}: ${status}`); // An unresolved one is in the list of decide.ts.
		return undefined;
	} catch (error) {
		console.error(`${key}: ${error instanceof Error ? error.message : error}`);
		const waitMs = isMessagingGatewayError(error) && "retryAfterMs" in error ? error.retryAfterMs : undefined;
		if (waitMs === undefined) throw error;
		return waitMs;
	}
}

/** Closes the connections to the database. */
export async function closePools(): Promise<void> {
	await Promise.all([pool.end(), storePool.end()]);
}

/** Commits what the work writes, all of it or nothing. */
export async function inTransaction<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
	const client = await pool.connect();
	try {
		await client.query("BEGIN");
		const result = await work(client);
		await client.query("COMMIT");
		client.release();
		return result;
	} catch (error) {
		client.release(true); // Closing the connection rolls back.
		throw error;
	}
}
