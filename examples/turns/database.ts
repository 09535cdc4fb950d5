import { Pool, type PoolClient } from "pg";
import { type ConstructorOptions, type Db, PgBoss } from "pg-boss";

/** A job for each conversation with lines that have no reply yet. */
export const TURNS = "turns";
/** Turns that failed for good. */
export const FAILED_TURNS = "turns-failed";
/** A job for each reply that is to be sent. */
export const REPLIES = "replies";

export interface Turn {
	conversation: string;
}

export interface Reply {
	/** Whom it goes to, as `sendText` has it. */
	target: { to: string } | { groupId: string };
	text: string;
}

const connectionString = process.env["DATABASE_URL"] ?? "postgres://localhost/postgres";
const DAY = 24 * 60 * 60;

export const pool = new Pool({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 4_000 });
pool.on("error", (error) => console.error(error.message));
// A connection that is lost between two statements must not end the process: the next statement fails.
pool.on("connect", (client) => client.on("error", () => undefined));

/** Connects to the database that DATABASE_URL names, and creates what is missing in it. */
export async function connect(options: ConstructorOptions = {}): Promise<PgBoss> {
	const boss = new PgBoss({ connectionString, connectionTimeoutMillis: 2_000, ...options });
	boss.on("error", (error) => console.error(error.message));
	await boss.start();
	await boss.createQueue(FAILED_TURNS, { retentionSeconds: 30 * DAY });
	await boss.createQueue(TURNS, {
		// A unique index lets one turn of a conversation be active. `groupConcurrency` only counts before it fetches: two
		// workers that fetch at the same moment would both get one.
		policy: "singleton",
		deadLetter: FAILED_TURNS,
		retryLimit: 11,
		retryDelay: 1,
		retryBackoff: true,
		expireInSeconds: 60, // The longest that a turn may take; then that of a killed worker runs again.
	});
	await boss.createQueue(REPLIES, {
		// In order: a reply that failed holds the later ones of its conversation.
		policy: "key_strict_fifo",
		// One that failed, or whose worker was killed, may have been sent: a person decides.
		retryLimit: 0,
		expireInSeconds: 60,
		deleteAfterSeconds: 30 * DAY,
	});
	// The event is JSON in a `text` column: `json` functions reject a text with the character U+0000.
	await inTransaction((client) =>
		client.query(`
			SELECT pg_advisory_xact_lock(4711);
			CREATE TABLE IF NOT EXISTS lines (
				event_id text PRIMARY KEY,
				conversation text NOT NULL,
				sent_at bigint NOT NULL,
				stored_at timestamptz NOT NULL DEFAULT now(),
				event text NOT NULL,
				turn uuid
			);
			CREATE INDEX IF NOT EXISTS lines_without_reply ON lines (conversation) WHERE turn IS NULL;
			CREATE TABLE IF NOT EXISTS unknown_events (event_id text PRIMARY KEY, raw_body text NOT NULL)`),
	);
	return boss;
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

/** Lets pg-boss write in a transaction of ours. */
export function within(client: PoolClient): Db {
	return { executeSql: (text, values) => client.query(text, values) };
}
