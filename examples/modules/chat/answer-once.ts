/** A bot with a model: its answer is kept before it is posted, so an event that runs again posts the same words. */
import type { Chat, Message, Thread } from "chat";
import type { Pool } from "pg";

export type Model = (thread: Thread, message: Message) => Promise<string>;

export async function answerWith(bot: Chat, model: Model, pool: Pool): Promise<void> {
	await pool.query("CREATE TABLE IF NOT EXISTS answers (message_id text PRIMARY KEY, answer text)");
	bot.onDirectMessage(async (thread, message) => {
		const { rows } = await pool.query("SELECT answer FROM answers WHERE message_id = $1", [message.id]);
		const answer = rows[0]?.answer ?? (await model(thread, message));
		await pool.query("INSERT INTO answers VALUES ($1, $2) ON CONFLICT DO NOTHING", [message.id, answer]);
		await thread.post(answer);
	});
}
