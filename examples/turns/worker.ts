/**
 * Takes the turns that receiver.ts has prepared, and sends their replies; run as many as you need. Reads DATABASE_URL and the
 * variables of the client from the environment.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { MessagingGateway } from "messaging-gateway";
import type { InboundMessageEvent } from "messaging-gateway/webhooks";
import type { Db, Job } from "pg-boss";
import { connect, pool, REPLIES, type Reply, TURNS, type Turn } from "./database.ts";

const gateway = new MessagingGateway();
// `max`: a turn holds a connection. The seconds: how often it looks for the jobs of killed workers.
const boss = await connect({ max: 15, superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 });

await boss.work(
	TURNS,
	{ localConcurrency: 5, pollingIntervalSeconds: 0.5, transactional: true },
	async ([job]: Job<Turn>[], transaction: Db) => {
		if (job !== undefined) await takeTurn(job.data.conversation, transaction);
	},
);
await boss.work(
	REPLIES,
	{ localConcurrency: 5, pollingIntervalSeconds: 0.5 },
	async ([job]: Job<Reply>[]) => {
		if (job === undefined) return;
		await gateway.messages.sendText({ ...job.data.target, text: job.data.text });
		console.log(`${job.id}: sent`);
	},
);

/** Replies to every line that has no reply yet. What it writes is committed together with the job's end, or not at all. */
async function takeTurn(conversation: string, transaction: Db): Promise<void> {
	const { rows } = await transaction.executeSql(
		"SELECT event FROM lines WHERE conversation = $1 AND turn IS NULL ORDER BY sent_at, event_id FOR UPDATE",
		[conversation],
	);
	const lines: InboundMessageEvent[] = rows.map(({ event }) => JSON.parse(event));
	const [first] = lines;
	if (first === undefined) return; // The turn before has replied to them.
	const { from, groupId } = first.data;
	const reply: Reply = {
		target: groupId === null ? { to: from } : { groupId },
		text: await composeReply(lines.map(({ data }) => data.text)),
	};
	const turn = await boss.send(REPLIES, reply, { singletonKey: conversation, db: transaction });
	const eventIds = lines.map(({ eventId }) => eventId);
	await transaction.executeSql("UPDATE lines SET turn = $1 WHERE event_id = ANY($2)", [turn, eventIds]);
	console.log(`${turn}: a turn of ${lines.length} lines`);
}

/** Stands for the call of a model. */
async function composeReply(texts: string[]): Promise<string> {
	await sleep(Number(process.env["THINKING_MS"] ?? 500));
	return `You wrote ${texts.length} lines: ${texts.join(" / ")}`;
}

process.once("SIGTERM", async () => {
	await boss.stop(); // Lets the jobs that are under way finish.
	await pool.end();
});
console.log("waiting for turns");
