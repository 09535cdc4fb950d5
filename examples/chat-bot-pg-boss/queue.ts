import { conversationOf, type WebhookEvent } from "messaging-gateway/webhooks";
import { type ConstructorOptions, PgBoss } from "pg-boss";

export const QUEUE = "chat";
/** What the worker has given up. `boss.redrive(FAILED, { destination: QUEUE })` runs it again. */
export const FAILED = "chat-failed";

/** An event as it waits in the queue: JSON in a string, since `jsonb` rejects the character U+0000. */
export interface QueuedEvent {
	event: string;
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
		// The job of a killed worker runs again after this. It must be longer than the bot takes for a message.
		expireInSeconds: 300,
		retentionSeconds: 30 * DAY,
		deleteAfterSeconds: 30 * DAY, // until then a repeat is recognised
	});
	await boss.createQueue(FAILED, { retentionSeconds: 365 * DAY });
	return boss;
}

/** Adds an event to a queue. */
export function add(boss: PgBoss, queue: string, event: WebhookEvent, id: string): Promise<string | null> {
	const data: QueuedEvent = { event: JSON.stringify(event) };
	const singletonKey = conversationOf(event) ?? event.eventId;
	return boss.send(queue, data, { id, singletonKey });
}
