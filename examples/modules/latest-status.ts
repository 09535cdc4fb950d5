/** The furthest status of each message, whatever order the statuses arrive in. */
import { isOutdatedStatus, MESSAGE_STATUSES, type MessageStatus } from "messaging-gateway/webhooks";
import type { Pool } from "pg";

/** Keeps the furthest status in `message_status (id text PRIMARY KEY, status text NOT NULL)`. Call it in `on.status`. */
export async function saveStatus(pool: Pool, messageId: string, arriving: MessageStatus): Promise<void> {
	const later = MESSAGE_STATUSES.filter((stored) => isOutdatedStatus(stored, arriving));
	await pool.query(
		`INSERT INTO message_status AS stored VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status WHERE stored.status <> ALL ($3)`,
		[messageId, arriving, later],
	);
}
