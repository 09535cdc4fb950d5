/**
 * A runtime of eve's shape, on PostgreSQL: it keeps what a contact wrote, acknowledges, and calls a handler when the answer is
 * complete, in any of its processes, at least once. It recognises no repeat, and says something else each time.
 */
import { randomUUID } from "node:crypto";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryState } from "@chat-adapter/state-memory";
import { serve } from "@hono/node-server";
import { Chat } from "chat";
import { isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import { createGatewayAdapter } from "messaging-gateway/chat";
import { createSender, observeSend } from "messaging-gateway/sends";
import { postgresSendStore, postgresStore } from "messaging-gateway/stores/postgres";
import { Pool } from "pg";

/** How many turns of a process are under way. */
const TURNS = 8;

interface Turn {
	readonly id: string;
	readonly message_id: string;
	readonly contact: string;
	readonly question: string;
}

const openPool = (): Pool =>
	new Pool({ connectionString: process.env["DATABASE_URL"] }).on("error", (error) =>
		console.error(error.message),
	);
const pool = openPool();
const sends = postgresSendStore(openPool());
const client = new MessagingGateway();
const gateway = createGatewayAdapter({
	gateway: client,
	sender: createSender({
		gateway: client,
		store: sends,
		statusCallback: (token) => `http://runtime.localhost/webhooks?send=${token}`,
		leaseMs: 3_000,
		keepInput: true,
	}),
	webhooks: { store: postgresStore(openPool()), leaseMs: 2_000, maxHandlerMs: 5_000 },
	onStatus: (event) => observeSend(sends, event),
	onKept: () => undefined,
});
const bot = new Chat({
	userName: "bot",
	adapters: { gateway },
	state: createMemoryState(),
	concurrency: "concurrent",
	logger: "silent",
});
bot.onDirectMessage(async (_thread, { id, author, text }) => {
	await pool.query("INSERT INTO turns (message_id, contact, question) VALUES ($1, $2, $3)", [
		id,
		author.userId,
		text,
	]);
});
await bot.initialize();

/** Its handler: the part that an application writes. */
async function onMessageCompleted({ message_id, contact }: Turn, answer: string): Promise<void> {
	const threadId = gateway.encodeThreadId({ to: contact });
	// Without a key, as `gateway.post(threadId, answer)`, it would post as often as it is called.
	const options =
		process.env["WITHOUT_KEY"] === "1" ? {} : { key: `answer-to-${message_id}`, ifReused: "keep" as const };
	for (let tries = 0; ; tries++) {
		try {
			await gateway.post(threadId, answer, options);
			return;
		} catch (error) {
			if (!isMessagingGatewayError(error) || tries === 10) throw error;
			const waitMs = "retryAfterMs" in error ? error.retryAfterMs : undefined;
			await sleep(waitMs ?? 100 * 2 ** tries);
		}
	}
}

async function takeTurns(): Promise<never> {
	for (;;) {
		const { rows } = await pool.query<Turn>(`
			UPDATE turns SET taken_until = now() + interval '2 seconds' WHERE id = (
				SELECT id FROM turns WHERE NOT done AND taken_until < now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
			RETURNING id, message_id, contact, question`);
		const [turn] = rows;
		if (turn === undefined) await sleep(20);
		else {
			await sleep(Math.random() * 50);
			await onMessageCompleted(turn, `${turn.question} is answered by ${randomUUID()}`);
			await sleep(Math.random() * 50); // what a runtime writes down itself
			await pool.query("UPDATE turns SET done = true WHERE id = $1", [turn.id]);
		}
	}
}

serve({ fetch: (request) => bot.webhooks.gateway(request), port: Number(process.env["PORT"]) }, () =>
	console.log("listening"),
);
await Promise.all(Array.from({ length: TURNS }, takeTurns));
