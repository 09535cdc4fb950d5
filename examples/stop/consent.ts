import { createHash } from "node:crypto";
import { MessagingGateway } from "messaging-gateway";
import { createSender, type SendResult } from "messaging-gateway/sends";
import { postgresSendStore } from "messaging-gateway/stores/postgres";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import { Pool } from "pg";

function openPool(): Pool {
	const pool = new Pool({
		connectionString: process.env["DATABASE_URL"] ?? "postgres://localhost/postgres",
		connectionTimeoutMillis: 2_000,
		query_timeout: 4_000,
	});
	pool.on("error", (error) => console.error(error.message));
	return pool;
}

export const pool = openPool();
// Pools of their own: the stores must not wait for statements of the application.
export const storePool = openPool();
export const sends = postgresSendStore(storePool, { createIfMissing: true });
// The last word of each contact who has written one. The handle is kept as it is: whoever sends has it anyway, and other programs
// that send must be able to ask.
await pool.query(`
	SELECT pg_advisory_xact_lock(4711);
	CREATE TABLE IF NOT EXISTS last_words (
		contact text PRIMARY KEY,
		stopped boolean NOT NULL,
		written_at bigint NOT NULL,
		event_id text -- of the message that changed it, and is confirmed
	);
	CREATE TABLE IF NOT EXISTS unknown_events (event_id text PRIMARY KEY, raw_body text NOT NULL)`);

// Where the gateway reaches main.ts.
const publicUrl = process.env["PUBLIC_URL"] ?? `http://127.0.0.1:${process.env["PORT"] ?? 3000}`;

const sender = createSender({
	gateway: new MessagingGateway(),
	store: sends,
	statusCallback: (token) => `${publicUrl}/webhooks?send=${token}`,
});

const STOP = /^(?:STOP|UNSUBSCRIBE|CANCEL|END|QUIT|REVOKE|OPT ?OUT)$/;

/** What a payload has, also of an event that is not quite as documented. */
function read(event: WebhookEvent) {
	return event.kind === "unknown" ? event.narrowed : event;
}

/** A message that is nothing but one of the words, whatever its case and whatever stands around it: " stop! ", "Opt-out". */
function readWord(event: WebhookEvent) {
	const message = read(event);
	if (message?.kind !== "inbound_message" || message.data.outbound !== false || !message.data.from)
		return undefined;
	const { from, text = "", timestamp_ms } = message.data;
	const word = text
		.normalize("NFKC")
		.toUpperCase()
		.replace(/[^\p{L}\p{N}]+/gu, " ")
		.trim();
	const stopped = STOP.test(word);
	const writtenAt = timeOf(event, timestamp_ms);
	return stopped || word === "START" ? { from, stopped, writtenAt } : undefined;
}

/** Some gateways write seconds or microseconds, which their size tells, or 0 for no time: a STOP must not look older than a START. */
function timeOf({ timestamp }: WebhookEvent, time = 0): number {
	if (time <= 0) return timestamp * 1_000;
	return Math.floor(time < 1e11 ? time * 1_000 : time > 1e14 ? time / 1_000 : time);
}

/**
 * Notes a STOP, and a START. With a queue the receiver calls it as well: a STOP is a job of the conversation whose answer is under
 * way, and the worker reads it too late for that.
 */
export async function noteWord(event: WebhookEvent): Promise<void> {
	const word = readWord(event);
	if (word === undefined) return;
	// An older word, which comes late or again, changes nothing; a second STOP has no event.
	await pool.query(
		`INSERT INTO last_words AS known (contact, stopped, written_at, event_id)
			VALUES ($1, $2::boolean, $3::bigint, CASE WHEN $2::boolean THEN $4::text END)
		ON CONFLICT (contact) DO UPDATE SET
			stopped = $2::boolean,
			written_at = $3::bigint,
			event_id = CASE WHEN known.stopped = $2::boolean THEN known.event_id ELSE $4::text END
		WHERE known.written_at < $3::bigint OR (known.written_at = $3::bigint AND $2::boolean)`,
		[keyOf(word.from), word.stopped, word.writtenAt, event.eventId],
	);
}

/** Whether a bot gets an event of any kind: no word, which is confirmed here, and nothing of a chat in which somebody has stopped. */
export async function isForBot(event: WebhookEvent): Promise<boolean> {
	const { kind, data } = read(event) ?? {};
	// Nobody waits for an answer.
	if (data === undefined || kind === "status") return true;
	if (data.outbound) return false;
	const word = readWord(event);
	if (word !== undefined) {
		// Committed before anything is sent.
		await noteWord(event);
		const { rows } = await pool.query("SELECT stopped, event_id FROM last_words WHERE contact = $1", [
			keyOf(word.from),
		]);
		const isConfirmed = rows[0].stopped === word.stopped && rows[0].event_id === event.eventId;
		if (isConfirmed) await confirm(event.eventId, word.from, word.stopped);
		// The START of somebody who has not stopped is for the bot.
		if (isConfirmed || word.stopped) return false;
	}
	return !(await hasStopped([data.from ?? "", ...(data.participants ?? [])]));
}

/** Once, however often the event comes. It goes to the contact alone, also if the word was written in a group. */
async function confirm(eventId: string, to: string, stopped: boolean): Promise<void> {
	const digest = createHash("sha256").update(eventId).digest("hex");
	const sentence = stopped
		? "You will get no more messages from us. Write START to get them again."
		: "You will get our messages again. Write STOP to end them.";
	// Without something of its own a second contact's within a minute would be a duplicate.
	const text = `${sentence} (${digest.slice(0, 6)})`;
	await sender.send(`${stopped ? "stop" : "start"}-${digest}`, { to, text });
}

/** Whether one of these contacts has stopped. Ask for all members of a group: a message to it reaches each of them. */
export async function hasStopped(contacts: readonly string[]): Promise<boolean> {
	const { rows } = await pool.query("SELECT FROM last_words WHERE stopped AND contact = ANY ($1) LIMIT 1", [
		contacts.map(keyOf),
	]);
	return rows.length > 0;
}

/**
 * Sends a text once, unless somebody whom it reaches has stopped: everything but a confirmation goes through here.
 * @returns `undefined` if it was not sent.
 */
export async function sendUnlessStopped(
	key: string,
	input: ({ to: string } | { groupId: string }) & { text: string },
	reaches: readonly string[],
): Promise<SendResult | undefined> {
	if (await hasStopped(reaches)) return undefined;
	return sender.send(key, input);
}

/** E-mail addresses come in any case. */
function keyOf(contact: string): string {
	return contact.toLowerCase();
}
