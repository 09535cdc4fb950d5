import { isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import { createSender } from "messaging-gateway/sends";
import { postgresSendStore } from "messaging-gateway/stores/postgres";
import { Pool, type PoolClient } from "pg";

export const pool = new Pool({
	connectionString: process.env["DATABASE_URL"] ?? "postgres://localhost/postgres",
	connectionTimeoutMillis: 2_000,
});
pool.on("error", (error) => console.error(error.message));
// A connection that is lost between two statements must not end the process: the next statement fails.
pool.on("connect", (client) => client.on("error", () => undefined));

export const store = postgresSendStore(pool);
await store.createTable();
await pool.query(`
	SELECT pg_advisory_xact_lock(4711);
	CREATE TABLE IF NOT EXISTS notices (key text PRIMARY KEY, phone text NOT NULL, text text NOT NULL)`);

// Where the gateway reaches receiver.ts.
const publicUrl = process.env["PUBLIC_URL"] ?? `http://127.0.0.1:${process.env["PORT"] ?? 3000}`;

export const sender = createSender({
	gateway: new MessagingGateway(),
	store,
	statusCallback: (token) => `${publicUrl}/webhooks/${token}`,
	leaseMs: Number(process.env["LEASE_MS"] ?? 60_000),
});

/** Makes the send of a notice, or reports what is known of it. */
export async function sendNotice(key: string): Promise<string> {
	const { rows } = await pool.query("SELECT phone, text FROM notices WHERE key = $1", [key]);
	const [{ phone, text }] = rows;
	const { status } = await sender.send(key, { to: phone, text });
	return status; // An unresolved one is no error: the list of decide.ts has it.
}

/** The time to wait that a refusal names: of a window, of a limit, or of another worker's lease. */
export function waitMsOf(error: unknown): number | undefined {
	return isMessagingGatewayError(error) && "retryAfterMs" in error ? error.retryAfterMs : undefined;
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
