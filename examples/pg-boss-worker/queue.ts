import { createHash } from "node:crypto";
import { conversationOf, type WebhookEvent } from "messaging-gateway/webhooks";
import { type ConstructorOptions, PgBoss } from "pg-boss";

export const QUEUE = "webhooks";
/** What the worker has given up: see replay.ts. */
export const FAILED = "webhooks-failed";

/** An event as it waits in the queue. */
export interface QueuedEvent {
	/** The event as JSON in a string: `jsonb` rejects a text with the character U+0000, and that event would be lost. */
	event: string;
	/** Why it was given up. */
	error?: string;
}

const DAY = 24 * 60 * 60;

/** Connects to the database that DATABASE_URL names, and creates the queue if it is missing. */
export async function connect(options: ConstructorOptions = {}): Promise<PgBoss> {
	const boss = new PgBoss({
		connectionString: process.env["DATABASE_URL"] ?? "postgres://localhost/postgres",
		connectionTimeoutMillis: 2_000,
		...options,
	});
	boss.on("error", (error) => console.error(error.message));
	await boss.start();
	// A queue that exists keeps its options: `updateQueue` changes them.
	await boss.createQueue(QUEUE, {
		// A unique index lets one job of a conversation be active, in retry or failed; its later jobs wait.
		policy: "key_strict_fifo",
		retryLimit: 100, // The worker gives up before.
		retryDelay: 1,
		retryBackoff: true,
		retryDelayMax: 600,
		// The job of a killed worker runs again after this. It must be longer than any job takes.
		expireInSeconds: 60,
		retentionSeconds: 30 * DAY,
		deleteAfterSeconds: 30 * DAY, // until then a repeated event is recognised
	});
	await boss.createQueue(FAILED, { retentionSeconds: 365 * DAY }); // until then it can be replayed
	await boss.getDb().executeSql(`
		SELECT pg_advisory_xact_lock(4711);
		CREATE TABLE IF NOT EXISTS unknown_events (event_id text PRIMARY KEY, raw_body text NOT NULL)`);
	return boss;
}

/** Adds an event to a queue. @param error - why it was given up. */
export function add(
	boss: PgBoss,
	queue: string,
	event: WebhookEvent,
	id: string,
	error?: string,
): Promise<string | null> {
	const data: QueuedEvent = { event: JSON.stringify(event), ...(error !== undefined && { error }) };
	const singletonKey = conversationOf(event) ?? event.eventId;
	return boss.send(queue, data, { id, singletonKey });
}

/** The job's id: an event that is delivered again becomes no second job. */
export function toJobId(eventId: string): string {
	const hex = createHash("sha256").update(eventId).digest("hex");
	return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
